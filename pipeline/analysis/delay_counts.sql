-- How many delays there are on each side.
select what, side, count(*) as times from paired_delays group by what, side order by what, side
