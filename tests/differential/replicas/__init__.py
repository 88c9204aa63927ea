"""Three released brokers judge three of ours: topics whose replicas stop, start, move and elect.

Both clusters get the same steps. After each step the judge waits until a side has settled: each
broker that runs knows that those that should run are not fenced, has all metadata (`marks.py`) and
is in the ISRs of its partitions with the leader's whole log; every write is answered, and four
answers in a row are the same. Then both sides must show the same (`observed.py`). The released
brokers run in real time, ours on a clock that the judge advances; no moments are compared.

What differs is judged again (`again.py`): a busy machine may stop the judge while a broker is
paused, or a follower until a write times out. A sequence that differs twice is unexplained; one
that was clean once is counted and printed as a race of the judge.

A race of threads or processes has several right outcomes in Kafka, so no sequence has one:

- A broker is paused for longer than a Fetch waits before anything is written, so that no record is
  on its way to it.
- Before a broker is killed, followers have had the time to learn and to store the high watermark.
- Nothing is written to a paused leader, which may append it before it learns of its successor.
- One broker stops at a time, and none is fenced while another starts: the order of two fences, or
  of a fence and a registration, decides which leader epochs there are.
- No reassignment without a leader adds a replica beside one that is behind: which of them is the
  first to catch up with the leader that returns decides who leads.
- While requests change the metadata, only the broker that is paused stops or comes back.
"""
