// Where the compared branches differ, in words: which event, when, what each did, and by which rule.

import { html } from "./vendor/htm-preact.js";
import { nameOf } from "./compare.js";
import { differences, rulesOf } from "./divergence.js";
import { fileTime } from "./signs.js";

const CHANCE = "No rule tells these releases apart here: what happened before differs, or the delays, which are drawn for each message.";
const known = new WeakMap(); // by the first story: the stories compared last, and their differences

export function differencesOf(players) {
  const stories = players.map((player) => player.source.story);
  const before = known.get(stories[0]);
  if (before && before.stories.length === stories.length && stories.every((story, index) => story === before.stories[index])) return before.found;
  const found = differences(stories);
  known.set(stories[0], { stories, found });
  return found;
}

// Chooses a difference, and goes to its moment: several may have the same one.
function jumpTo(visit, item) {
  visit.player.pause();
  visit.difference = item;
  return item && visit.player.seek(item.atUs);
}

const foundOf = ({ compared, players }) => differencesOf(compared.map((index) => players[index]));

export const jumpToFirst = (visit) => jumpTo(visit, foundOf(visit)[0]);

// To the difference after the shown one; after the last, to the first of all.
export function jumpToDifference(visit) {
  if (visit.players.length < 2) return;
  const found = foundOf(visit);
  jumpTo(visit, found[found.indexOf(shownOf(visit, found)) + 1] ?? found[0]);
}

// The difference of now: the chosen one until another has come, else the newest that has come.
function shownOf({ player, difference }, found) {
  const last = found.findLast((item) => item.atUs <= player.us);
  return found.includes(difference) && difference.atUs === last?.atUs ? difference : last;
}

// An event as a sentence: what is said of a step, without its verb and id.
const inWords = ({ text, say }) => say || text.replace(/^(>>|<<|--) /, "");

function Did({ player, name, event, root, isHere, rules }) {
  const { beginUs } = player.source;
  const happens = event ? `${fileTime(event.atUs, beginUs)} ${inWords(event)}` : "does not happen";
  return html`<div class="did ${isHere ? "here" : ""}"><b>${name}</b>
    <p>${event && !isHere ? "at another time: " : ""}${happens}</p>
    ${root && root !== event && html`<p class="root">because: ${fileTime(root.atUs, beginUs)} ${inWords(root)}</p>`}
    ${rules.map((rule) => html`<p class="rule" key=${rule.topic}>${rule.says} <small>${rule.source}</small></p>`)}</div>`;
}

// Before the first difference only its time is shown, because its moment has not come.
export function Difference({ visit }) {
  const { compared, players, player } = visit;
  const shown = compared.map((index) => players[index]);
  const found = differencesOf(shown);
  const names = compared.map((index) => nameOf(players[index], index));
  if (!found.length) return html`<p class="difference">${names.join(" and ")}: no event differs.</p>`;
  const { beginUs } = player.source;
  const jumps = html`<button onClick=${() => jumpToFirst(visit)}>first difference</button>
    <button onClick=${() => jumpToDifference(visit)} title="next difference (d)">next difference</button>`;
  const item = shownOf(visit, found);
  if (!item) return html`${jumps}<b class="apart-at">≠ First difference: ${fileTime(found[0].atUs, beginUs)}</b>`;
  const number = found.indexOf(item);
  const rules = rulesOf(item, shown.map(({ source }) => source.story));
  const isOfReleases = new Set(shown.map(({ source }) => source.story.profile)).size > 1;
  const place = number ? `Difference ${number + 1} of ${found.length}` : "First difference";
  return html`${jumps}<b class="apart-at">≠ ${place}: ${fileTime(item.atUs, beginUs)}</b>
    <section class="difference" aria-label="Difference"><div class="dids">${item.events.map((event, index) => html`<${Did} key=${names[index]}
      player=${shown[index]} name=${names[index]} event=${event} root=${item.roots[index]} isHere=${item.isHere[index]} rules=${rules[index]} />`)}</div>
      ${isOfReleases && !rules[0].length && html`<p class="rule">${CHANCE}</p>`}</section>`;
}
