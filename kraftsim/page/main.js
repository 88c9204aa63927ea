// The page: one source (the running cluster, or branches of a lesson) and its player.

import { Component, html, render } from "./vendor/htm-preact.js";
import { stepAt } from "./acts.js";
import { Afterwards } from "./afterwards.js";
import { addressOf, readAddress } from "./address.js";
import { Brokers } from "./brokers.js";
import { Difference, SideBySide } from "./compare.js";
import { Controllers } from "./controllers.js";
import { Controls } from "./controls.js";
import { EventList } from "./event_list.js";
import { readExport } from "./export.js";
import { GLOSSARY } from "./glossary.js";
import { Header, Welcome } from "./header.js";
import { KEYS, onKey } from "./keys.js";
import { LessonSource } from "./lesson_source.js";
import { LiveRequests } from "./live_requests.js";
import { LiveSource } from "./live_source.js";
import { Panel } from "./panel.js";
import { Player, isTurningPoint } from "./player.js";
import { Question, captioned, stopsOf } from "./question.js";
import { followLead, maySteer, predict, release, steer } from "./lead.js";
import { get, post } from "./service.js";
import { SpaceTime } from "./space_time.js";
import { restoreTheme } from "./theme.js";
import { Timeline } from "./timeline.js";

const PROFILES = ["kafka-4.4", "kafka-4.3", "kafka-4.1", "kafka-3.9", "kip-631"];
const FIRST_LESSON = { name: "lesson-01-lease", seed: 17, profile: "", acts: [] };
const LETTERS = "ABCDEFGHIJKLMNOPQRSTU";
const FAILURE_MS = 8_000; // how long an error stands
const SHOWN_MS = 33; // between two pictures: thirty a second at most

class Page extends Component {
  constructor() {
    super();
    this.state = { players: [], active: 0, lessons: [], isWelcome: true };
    this.shownAt = 0;
    this.show = this.show.bind(this);
  }

  get player() {
    return this.state.players[this.state.active];
  }

  componentDidMount() {
    this.actions = {
      breakSomething: () => this.breakSomething(),
      toggleHelp: () => this.setState({ isHelp: !this.state.isHelp }),
      close: () => this.setState({ selected: undefined, isHelp: false }),
    };
    window.addEventListener("keydown", (event) => this.player && !this.isKept && onKey(event, { player: this.player, actions: this.actions }));
    window.addEventListener("hashchange", () => this.open());
    this.open();
    if (!this.props.exported) {
      get("/v1/lessons").then(({ lessons }) => this.setState({ lessons }), () => undefined);
      followLead((lead) => this.onLead(lead));
    }
  }

  show() {
    const now = performance.now();
    if (now - this.shownAt < SHOWN_MS) return;
    this.shownAt = now;
    this.forceUpdate();
  }

  async open() {
    const { exported } = this.props;
    const asked = exported ? { branch: exported.branch } : readAddress();
    if (asked && this.address === addressOf(asked.branch, asked.us ?? 0)) return;
    try {
      if (asked) await this.openLesson(asked.branch, asked.us);
      else await this.openLive();
    } catch (error) {
      this.fail(error);
    }
  }

  // Says what went wrong, for a while.
  fail(error) {
    clearTimeout(this.failing);
    this.setState({ failure: error.message, isLoading: false });
    this.failing = setTimeout(() => this.player && this.setState({ failure: undefined }), FAILURE_MS);
  }

  // Visitors of a class may not see the running cluster: they begin with the first lesson.
  async openLive() {
    try {
      this.replace([new Player(await new LiveSource().load(), this.show)]);
    } catch (error) {
      if (error.status !== 401) throw error;
      await this.openLesson(FIRST_LESSON);
      return;
    }
    history.replaceState(null, "", location.pathname);
    this.setState({ isWelcome: true });
  }

  onLead(lead) {
    const before = this.state.lead;
    this.setState({ lead });
    if (lead.isKept && lead.number !== before?.number && !maySteer()) location.hash = lead.place;
  }

  lead(answer) {
    answer.then((lead) => this.setState({ lead }), (error) => this.fail(error));
  }

  get isKept() {
    return Boolean(this.state.lead?.isKept) && !maySteer();
  }

  async openLesson(branch, us) {
    this.setState({ isLoading: true });
    const player = await this.playerOf(branch);
    if (this.player?.source.isLive) history.pushState(null, "", addressOf(branch, 0)); // Back shows the cluster again
    this.replace([player]);
    this.setState({ isWelcome: false, isLoading: false });
    if (us !== undefined) for (const stop of player.stops) stop.isAnswered = stop.atUs <= us;
    await player.seek(us ?? player.source.beginUs);
    const asked = player.stops.find((stop) => stop.atUs - 1 === us); // an instructor brings a class here
    if (asked) player.reach(asked);
    this.note();
  }

  async playerOf(branch) {
    const source = await new LessonSource(branch, this.props.exported).load();
    const player = new Player(source, this.show);
    player.stops = stopsOf(source.story);
    player.onStop = (stop) => stop !== this.state.stop && this.setState({ stop, choice: undefined });
    await source.fetched(source.beginUs);
    return player;
  }

  replace(players) {
    for (const player of this.state.players) player.close();
    this.setState({ players, active: 0, stop: undefined, selected: undefined, isComparing: false, failure: undefined });
  }

  // Acting in the past makes a branch; the acts after this moment are not in it.
  async act(act, id) {
    const { player } = this;
    if (this.state.isLoading) return;
    try {
      if (player.source.isLive) {
        await post(act.live.path(id, player.scene), act.live.body?.(Number(id)) ?? {});
        this.setState({ notice: `${act.name}: done. ${act.live.command(id, player.scene)}` });
        setTimeout(() => this.setState({ notice: undefined }), FAILURE_MS / 2);
        return;
      }
      const { branch, beginUs } = player.source;
      const step = stepAt(act, id, player.us - beginUs, player.scene);
      if (player.us >= player.source.endUs) throw new Error("The lesson is over: go back to a moment before its end, then act.");
      if (player.us < beginUs) throw new Error("Acts begin with the steps, at T+00:00.0: go there, then act.");
      if (this.state.players.length >= LETTERS.length) throw new Error("There are branches from A to U: open the lesson anew for more.");
      if (!step) throw new Error(`${act.name}: nothing of this kind is open`);
      const before = branch.acts.filter((item) => parseFloat(item.at) * 1e6 <= player.us - beginUs);
      await this.fork({ ...branch, acts: [...before, step] });
    } catch (error) {
      this.fail(error);
    }
  }

  async fork(branch) {
    const { us, speed } = this.player;
    this.setState({ isLoading: true });
    const made = await this.playerOf(branch);
    this.player.pause();
    made.speed = speed;
    for (const stop of made.stops) stop.isAnswered = true;
    made.seenUs = us;
    await made.seek(us);
    const players = [...this.state.players, made];
    this.setState({ players, active: players.length - 1, failure: undefined, isLoading: false }, () => this.note());
    made.play();
  }

  note() {
    const { source, us } = this.player ?? {};
    if (!source || source.isLive || this.props.exported) return;
    this.address = addressOf(source.branch, us);
    history.replaceState(null, "", this.address);
  }

  async share() {
    this.note();
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    this.setState({ isShared: true });
    setTimeout(() => this.setState({ isShared: false }), 2000);
  }

  breakSomething() {
    const { scene } = this.player;
    const id = Object.keys(scene.brokers).find((key) => scene.brokers[key].truth === "unfenced") ?? Object.keys(scene.brokers)[0];
    this.setState({ selected: { kind: "broker", id } }, () => document.querySelector(".acts button")?.focus());
  }

  select(selected) {
    this.setState({ selected });
  }

  caption() {
    const { source, us, failure } = this.player;
    const text = this.state.failure ?? failure ?? source.failure;
    if (text) return html`<b class="failure">${text}</b>`;
    const { events, captions } = source.story;
    if (this.state.notice) return this.state.notice;
    if (!source.isLive && us >= source.endUs) return "The lesson is over.";
    const calmUs = events.find((event) => event.kind === "calm_begins")?.atUs ?? Infinity; // nothing of a lesson after it
    const index = events.findLastIndex((event) => event.atUs <= us && event.atUs < calmUs && (event.say || isTurningPoint(event)));
    if (index < 0) return "The cluster starts.";
    const event = events[index];
    const caption = captions.find((item) => item.on === event.kind && captioned(source.story, item) === event);
    return html`${event.say || event.text}${caption ? html` <i>${caption.say}</i>` : ""}`;
  }

  waiting() {
    const { failure } = this.state;
    if (!failure) return html`<p class="wait">kraftsim: loading the picture of the cluster…</p>`;
    return html`<section class="wait"><p class="failure">${failure}</p>
      <button onClick=${() => this.openLesson(FIRST_LESSON).catch((error) => this.fail(error))}>Open lesson 1</button>
      ${" "}<button onClick=${() => this.openLive().catch((error) => this.fail(error))}>Show the running cluster</button></section>`;
  }

  render() {
    const { players, active, selected, stop, choice, isComparing, isHelp, lessons, isWelcome, isLoading } = this.state;
    const { player } = this;
    if (!player) return this.waiting();
    const { scene, us, source } = player;
    const branches = players.map((item, index) => ({ letter: LETTERS[index], leftUs: item.source.story.leftUs }));
    const goOn = () => {
      stop.isAnswered = true;
      this.setState({ stop: undefined, choice: undefined });
      player.us += 1; // past the moment before the event
      player.play();
    };
    const { lead } = this.state;
    const isAsked = stop && !stop.isAnswered && Math.abs(us - stop.atUs) < 2;
    return html`<div class="page ${selected ? "with-panel" : ""}" inert=${this.isKept && !isAsked}>
      ${this.isKept && html`<p class="claim">The instructor shows this moment to the class.</p>`}
      <${Header} player=${player} lessons=${lessons} profiles=${PROFILES} branch=${source.branch} shared=${this.state.isShared} isExported=${Boolean(this.props.exported)}
        onLesson=${(name) => this.openLesson({ name, seed: 17, profile: "", acts: [] }).catch((error) => this.fail(error))} onLive=${() => this.openLive().catch((error) => this.fail(error))}
        onProfile=${(profile) => this.fork({ ...source.branch, profile }).catch((error) => this.fail(error))} onShare=${() => this.share()} lead=${maySteer() ? lead : undefined}
        onSteer=${() => { this.note(); this.lead(steer(this.address)); }} onRelease=${() => this.lead(release())} onHelp=${this.actions?.toggleHelp} />
      ${isWelcome && source.isLive && html`<${Welcome} onFirst=${() => this.openLesson(FIRST_LESSON).then(() => this.player.play(), (error) => this.fail(error))}
        onBreak=${() => this.breakSomething()} />`}
      ${!source.isLive && html`<p class="claim"><b>${source.story.title}.</b> ${player.knownUs >= source.endUs && source.story.claim}</p>`}
      ${isLoading && html`<p class="wait">The lesson is being prepared…</p>`}
      <main>
        ${scene && !isComparing && html`<${Controllers} scene=${scene} selected=${selected} onSelect=${(item) => this.select(item)} />`}
        ${scene && (isComparing
          ? html`<${SideBySide} players=${[players[0], players[active || 1]]} letters=${["A", LETTERS[active || 1]]} us=${us} selected=${selected} onSelect=${(item) => this.select(item)} />`
          : html`<${Brokers} scene=${scene} us=${us} selected=${selected} onSelect=${(item) => this.select(item)} />`)}
        ${selected && html`<${Panel} player=${player} selected=${selected} canAct=${!this.props.exported} onSelect=${(item) => this.select(item)}
          onAct=${(act, id) => this.act(act, id)} onClose=${() => this.select(undefined)} />`}
      </main>
      <p class="caption" role="status" aria-live="polite">${this.caption()}</p>
      ${!source.isLive && !isAsked && us >= source.endUs && html`<${Afterwards} story=${players[0].source.story} tries=${players.slice(1).map((item) => item.source.story)} />`}
      ${isAsked && html`<${Question} stop=${stop} choice=${choice} source=${source} onChoose=${(text) => {
        this.setState({ choice: text });
        predict(text);
      }} onGoOn=${goOn} />`}
      ${players.length > 1 && html`<div class="branches" role="group" aria-label="Branches">
        ${players.map((item, index) => html`<button key=${index} aria-pressed=${index === active} onClick=${() => { player.pause(); item.seek(us); this.setState({ active: index }); }}>${LETTERS[index]}</button>`)}
        <label><input type="checkbox" checked=${isComparing} onChange=${() => { players[0].seek(us); this.setState({ isComparing: !isComparing }); }} /> side by side</label>
        <${Difference} one=${players[0].source.story} other=${players[active || 1].source.story} letters=${["A", LETTERS[active || 1]]} beginUs=${source.beginUs} onSeek=${(at) => player.seek(at)} />
      </div>`}
      <${Timeline} source=${source} us=${us} knownUs=${player.knownUs} branches=${branches} onSeek=${(at) => { player.pause(); player.seek(at); this.note(); }} />
      <${Controls} player=${player} />
      <div class="lower"><${EventList} source=${source} us=${us} knownUs=${player.knownUs} onPick=${(event) => { player.pause(); player.seek(event.atUs); this.select({ kind: "event", id: event.seq }); }} />
        ${source.isLive ? html`<${LiveRequests} />` : scene && html`<${SpaceTime} source=${source} scene=${scene} us=${us} selected=${selected} />`}</div>
      ${isHelp && html`<section class="help" role="dialog" aria-label="Keys and words"><h2>Keys <button class="close" aria-label="Close" onClick=${this.actions.close}>×</button></h2>
        <dl>${KEYS.map(([key, meaning]) => html`<dt><kbd>${key}</kbd></dt><dd>${meaning}</dd>`)}</dl><h2>Words</h2>
        <dl>${Object.entries(GLOSSARY).map(([word, meaning]) => html`<dt>${word}</dt><dd>${meaning}</dd>`)}</dl></section>`}
    </div>`;
  }
}

restoreTheme();
const root = document.getElementById("page");
readExport().then((exported) => {
  root.textContent = "";
  render(html`<${Page} exported=${exported} />`, root);
});
