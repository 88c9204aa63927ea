// The first line: what this is, how the cluster does, and where else to go.

import { html } from "./vendor/htm-preact.js";
import { FORMATS } from "./export.js";
import { STEERS } from "./lead.js";
import { fileTime } from "./signs.js";
import { switchTheme } from "./theme.js";

function health(scene) {
  const brokers = Object.values(scene.brokers);
  const ids = new Set(brokers.map((broker) => broker.id));
  const well = brokers.filter((broker) => broker.truth === "unfenced" && !broker.mismatch).length;
  const active = Object.values(scene.controllers).find((item) => item.isActive);
  return `${well} of ${ids.size} brokers in service · ${active ? `leader ${active.id}, epoch ${active.epoch}` : "no leader"}`;
}

export function Header({ player, lessons, profiles, branch, onLesson, onProfile, onReleases, onLive, onShare, onSave, onHelp, shared, isExported, lead, onSteer, onRelease }) {
  const { source } = player;
  return html`<header>
    <h1>kraftsim</h1>
    <p class=${branch ? "health claim" : "health"}>${branch && html`<b>${source.story.title}.</b> `}${player.scene ? health(player.scene) : "…"} · ${fileTime(player.us, source.beginUs)}</p>
    <nav aria-label="Lessons">
      ${!isExported && html`<label><span class="sr">lesson</span><select aria-label="Lesson" value=${branch?.name ?? ""} onChange=${(event) => (event.target.value ? onLesson(lessons.find(({ name }) => name === event.target.value)) : onLive())}>
        <option value="">live cluster</option>
        ${lessons.map((lesson) => html`<option key=${lesson.name} value=${lesson.name}>${lesson.title}</option>`)}
        ${branch && !lessons.some((lesson) => lesson.name === branch.name) && html`<option value=${branch.name}>${branch.name}</option>`}</select></label>`}
      ${branch && !isExported && html`<label><span class="sr">release</span><select aria-label="Release of Kafka" value=${source.story.profile} onChange=${(event) => onProfile(event.target.value)}>
        ${profiles.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>`}
      ${branch && !isExported && html`<button onClick=${onReleases} title="kip-631, kafka-3.9 and kafka-4.3 side by side">compare releases</button>`}
      ${branch && !isExported && html`<button onClick=${onShare}>${shared ? "link copied" : "share"}</button>`}
      ${branch && !isExported && html`<label><span class="sr">save as a file</span><select aria-label="Save as a file" value="" onChange=${(event) => { onSave(event.target.value); event.target.value = ""; }}>
        <option value="">save…</option>${FORMATS.map(([format, name]) => html`<option key=${format} value=${format}>${name}</option>`)}</select></label>`}
      ${branch && lead && html`<button onClick=${onSteer} title=${`Every page of the class shows this moment. ${STEERS}`}>steer the class here</button>`}
      ${lead?.isKept && html`<button onClick=${onRelease}>release the class</button>
        <span class="predictions">${Object.entries(lead.predictions).map(([choice, count]) => `${choice}: ${count}`).join(" · ")}</span>`}
      <button onClick=${switchTheme} aria-label="light or dark" title="light or dark">◐</button>
      <button onClick=${onHelp} aria-label="keys and words">?</button>
    </nav></header>`;
}

export function Welcome({ onFirst, onBreak }) {
  return html`<section class="welcome" aria-label="What this is">
    <p>A simulated Kafka control plane. Everything you see is the real state machine; break it.</p>
    <button class="primary" onClick=${onFirst}>Start lesson 1</button> <button class="primary" onClick=${onBreak}>Break something</button>
  </section>`;
}
