// The last thing that happened, in a sentence; or what is wrong.

import { html } from "./vendor/htm-preact.js";
import { isTurningPoint } from "./player.js";
import { captioned } from "./question.js";

function newest({ story }, us) {
  const calmUs = story.events.find((event) => event.kind === "calm_begins")?.atUs ?? Infinity; // nothing of a lesson after it
  const explained = new Set(story.captions.map((caption) => captioned(story, caption)));
  return story.events.findLast((event) => event.atUs <= us && event.atUs < calmUs && (event.say || explained.has(event) || isTurningPoint(event)));
}

// Before the first step there is nothing to say of a lesson but how to begin.
const BEGIN = "The cluster runs, and nothing has been done to it yet.";
const HOW = "▶ or Space plays the lesson.";

// What is wrong, or what an act has done; undefined if nothing is to be said at once.
function News({ player, failure, notice }) {
  const { source } = player;
  const wrong = failure ?? player.failure ?? (source.isLive ? source.failure : undefined);
  if (wrong) return html`<b class="failure">${wrong}</b>`;
  return notice && html`${notice.said} <small><code>${notice.command}</code></small>`;
}

// The news at the top of a small screen, where the caption scrolls away; a screen reader hears the caption.
export function Toast(said) {
  const news = News(said);
  return news && html`<p class="toast" aria-hidden="true">${news}</p>`;
}

export function Caption({ player, failure, notice, isAsked }) {
  const { source, us } = player;
  const news = News({ player, failure, notice });
  if (news) return news;
  if (player.stepped?.us === us) return player.stepped.text;
  if (!source.isLive && us >= source.endUs) return "The lesson is over.";
  const event = newest(source, us);
  if (!event) return "The cluster starts.";
  if (!source.isLive && event.atUs < source.beginUs && us >= source.beginUs) return player.isPlaying || isAsked ? BEGIN : `${BEGIN} ${HOW}`;
  const caption = source.story.captions.find((item) => item.on === event.kind && captioned(source.story, item) === event);
  return html`${event.say || event.text}${caption ? html` <i>${caption.say}</i>` : ""}`;
}
