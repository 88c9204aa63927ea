// The layout of the page: stage, caption, timeline and lists. `page` has the state and the actions.

import { html } from "./vendor/htm-preact.js";
import { Afterwards } from "./afterwards.js";
import { BranchBar } from "./branch_bar.js";
import { Brokers } from "./brokers.js";
import { Caption, Toast } from "./caption.js";
import { lessonLink } from "./address.js";
import { SideBySide } from "./compare.js";
import { Controllers } from "./controllers.js";
import { Controls } from "./controls.js";
import { differencesOf } from "./difference.js";
import { EventList } from "./event_list.js";
import { Flights, Rates } from "./flights.js";
import { Header, Welcome } from "./header.js";
import { HeldList } from "./held.js";
import { Help } from "./help.js";
import { predict, release, steer } from "./lead.js";
import { LiveRequests } from "./live_requests.js";
import { Panel, commandOf } from "./panel.js";
import { Question } from "./question.js";
import { WithReplicas } from "./replicas.js";
import { SpaceTime } from "./space_time.js";
import { Timeline } from "./timeline.js";
import { Violations } from "./violations.js";
import { LETTERS } from "./visit.js";

const PROFILES = ["kafka-4.4", "kafka-4.3", "kafka-4.1", "kafka-3.9", "kip-631", "kafka-trunk", "kip-1372"];

const APART_MAX = 200; // differences on the timeline

export function Waiting({ page }) {
  const { failure } = page.state;
  if (!failure) return html`<p class="wait">kraftsim: loading the picture of the cluster…</p>`;
  return html`<section class="wait"><p class="failure">${failure}</p>
    <button onClick=${() => page.attempt(() => page.openFirst())}>Open lesson 1</button>
    ${" "}<button onClick=${() => page.attempt(() => page.openLive())}>Show the running cluster</button></section>`;
}

function Top({ page }) {
  const { visit, player } = page;
  const { branch } = player.source;
  const { lessons, isShared, isInstructor, lead } = page.state;
  const onSteer = () => {
    visit.note();
    page.lead(steer(visit.address));
  };
  return html`<${Header} player=${player} lessons=${lessons} profiles=${PROFILES} branch=${branch} shared=${isShared} isExported=${Boolean(page.props.exported)}
    onLesson=${({ name, seed }) => page.attempt(() => page.openLesson(lessonLink(name, seed)))} onLive=${() => page.attempt(() => page.openLive())}
    onProfile=${(profile) => page.attempt(() => page.branch(() => visit.fork([{ ...branch, profile }])))} onReleases=${() => page.attempt(() => page.compareReleases())} onShare=${() => page.share()} onSave=${(format) => page.attempt(() => page.save(format))}
    lead=${isInstructor ? lead : undefined} onSteer=${onSteer} onRelease=${() => page.lead(release())} onHelp=${page.actions.toggleHelp} />`;
}

// What is wrong with the service for longer than a moment.
function Warning({ page }) {
  const { warning, silence } = page.state;
  const isSilent = silence && !page.player.source.isLive; // the caption of a live picture says it
  return html`${warning && html`<p class="warning" role="alert">${warning} <button aria-label="Close the warning" onClick=${() => page.setState({ warning: undefined })}>×</button></p>`}
    ${isSilent && html`<p class="warning" role="alert">${silence} What this page has loaded can still be seen.</p>`}`;
}

function First({ page }) {
  const start = async () => {
    await page.openFirst();
    page.player.play();
  };
  return html`<${Welcome} onFirst=${() => page.attempt(start)} onBreak=${() => page.breakSomething()} />`;
}

function Held({ page }) {
  const { player } = page;
  if (!player.scene) return undefined; // its film is on the way
  return html`<${HeldList} scene=${player.scene} us=${player.us} canAct=${!page.props.exported}
    onAct=${(act) => page.act(act, "")} command=${(act) => commandOf(act, "", player)} />`;
}

function Stage({ page }) {
  const { visit, player } = page;
  const { scene, us } = player;
  const { selected } = page.state;
  const isBeside = visit.beside.length > 0;
  const chosen = { selected, onSelect: (item) => page.select(item) };
  return html`<main class=${isBeside ? "beside" : ""}>
    ${scene && !isBeside && html`<${Controllers} scene=${scene} ...${chosen}>
        <${Rates} player=${player} us=${us} />${!selected && html`<${Held} page=${page} />`}<//>
      <${WithReplicas} scene=${scene} ...${chosen}><${Brokers} scene=${scene} us=${us} ...${chosen} /><//><${Flights} player=${player} scene=${scene} us=${us} />`}
    ${scene && isBeside && html`<${SideBySide} visit=${visit} us=${us} ...${chosen} />`}
    ${selected && html`<${Panel} player=${player} canAct=${!page.props.exported} ...${chosen}
      onAct=${(act, id) => page.act(act, id)} onClose=${() => page.select(undefined)}><${Held} page=${page} /><//>`}
  </main>`;
}

function Asked({ page, stop }) {
  const choose = (text) => {
    page.setState({ choice: text });
    predict(text);
  };
  return html`<${Question} stop=${stop} choice=${page.state.choice} source=${page.player.source} onChoose=${choose} onGoOn=${() => page.goOn(stop)} />`;
}

function Lists({ page }) {
  const { source, us, knownUs, scene } = page.player;
  return html`<div class="lower"><${EventList} source=${source} us=${us} knownUs=${knownUs} onPick=${(event) => page.pick(event)} />
    ${scene && html`<${SpaceTime} source=${source} scene=${scene} us=${us} selected=${page.state.selected} />`}
    ${source.isLive && html`<${LiveRequests} />`}</div>`;
}

export function Layout({ page }) {
  const { visit, player } = page;
  const { selected, stop, isHelp, isWelcome, isLoading, failure, notice } = page.state;
  const { us, source, knownUs } = player;
  const { story, isLive } = source;
  const isAsked = stop && !stop.isAnswered && Math.abs(us - stop.atUs) < 2;
  const left = visit.players.map((item, index) => ({ letter: LETTERS[index], leftUs: item.source.story.leftUs }));
  const apart = visit.players.length > 1 ? differencesOf(visit.compared.map((index) => visit.players[index])).slice(0, APART_MAX) : [];
  const [first, ...tries] = visit.players.map((item) => item.source.story);
  const isBeside = visit.beside.length > 0;
  return html`<div class="page ${selected ? "with-panel" : ""} ${isBeside ? "is-beside" : ""}" inert=${page.isKept && !isAsked}>
    ${page.isKept && html`<p class="note">The instructor shows this moment to the class.</p>`}
    <${Top} page=${page} /><${Warning} page=${page} />
    <${Toast} player=${player} failure=${failure} notice=${notice} />
    ${isWelcome && isLive && html`<${First} page=${page} />`}
    ${!isLive && knownUs >= source.endUs && !isBeside && html`<p class="note">${story.claim}</p>`}
    ${isLoading && html`<p class="wait">The lesson is being prepared…</p>`}
    ${visit.players.length > 1 && html`<${BranchBar} visit=${visit} />`}
    <${Violations} source=${source} us=${us} knownUs=${isBeside ? us : knownUs} onSeek=${(at) => page.seek(at)} onWhy=${(event) => page.pick(event)} />
    ${!isLive && !isAsked && !isBeside && us >= source.endUs && html`<${Afterwards} story=${first} tries=${tries} />`}
    <${Stage} page=${page} />
    <div class="dock">
      <p class="caption" role="status" aria-live="polite"><${Caption} player=${player} failure=${failure} notice=${notice} isAsked=${isAsked} /></p>
      ${isAsked && html`<${Asked} page=${page} stop=${stop} />`}
      <${Timeline} source=${source} us=${us} knownUs=${knownUs} branches=${left} differences=${apart} onSeek=${(at) => page.seek(at)} />
      <${Controls} player=${player} />
    </div>
    <${Lists} page=${page} />
    ${isHelp && html`<${Help} onClose=${page.actions.close} />`}
  </div>`;
}
