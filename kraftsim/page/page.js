// The page around a visit: what a visitor does, and what the page says about it.

import { Component, html } from "./vendor/htm-preact.js";
import { needless } from "./acts.js";
import { addressOf, lessonLink, readAddress } from "./address.js";
import { jumpToDifference, jumpToFirst } from "./difference.js";
import { save } from "./export.js";
import { onKey } from "./keys.js";
import { Layout, Waiting } from "./layout.js";
import { followLead, maySteer } from "./lead.js";
import { commandOf } from "./panel.js";
import { get, post } from "./service.js";
import { LETTERS, Visit } from "./visit.js";

const FIRST_LESSON = lessonLink("lesson-01-lease");
const FAILURE_MS = 8_000; // how long an error stands
const SHOWN_MS = 33; // between two pictures: thirty a second at most
const NOTED_MS = 500; // between two notes of the place: browsers allow some three a second

export class Page extends Component {
  constructor({ exported }) {
    super();
    this.state = { lessons: [], isWelcome: true };
    this.shownAt = 0;
    this.notedAt = 0;
    this.visit = new Visit(exported, {
      onFrame: () => this.show(),
      onChange: (state) => this.setState(state),
      onStop: (stop) => stop !== this.state.stop && this.setState({ stop, choice: undefined }),
    });
    this.actions = {
      breakSomething: () => this.breakSomething(),
      nextDifference: () => jumpToDifference(this.visit),
      toggleHelp: () => this.setState({ isHelp: !this.state.isHelp }),
      close: () => this.setState({ selected: undefined, isHelp: false }),
    };
  }

  get player() {
    return this.visit.player;
  }

  componentDidMount() {
    window.addEventListener("keydown", (event) => this.player && !this.isKept && onKey(event, { player: this.player, actions: this.actions }));
    window.addEventListener("hashchange", () => this.open());
    if (!this.props.exported) window.addEventListener("hashchange", () => this.askRole());
    this.open();
    if (!this.props.exported) this.join();
  }

  // Asks what this page may do, and follows the class.
  async join() {
    get("/v1/lessons").then(({ lessons }) => this.setState({ lessons }), () => undefined);
    await this.askRole();
    followLead((lead) => this.onLead(lead), (silence) => silence !== this.state.silence && this.setState({ silence }));
  }

  // The address may bring a token.
  async askRole() {
    await maySteer().then((isInstructor) => this.setState({ isInstructor }), (error) => this.setState({ warning: error.message }));
  }

  show() {
    const now = performance.now();
    if (now - this.shownAt < SHOWN_MS) return;
    this.shownAt = now;
    if (now - this.notedAt > NOTED_MS) {
      this.notedAt = now;
      this.visit.note();
    }
    this.forceUpdate();
  }

  async open() {
    const { exported } = this.props;
    await this.attempt(async () => {
      const asked = exported ? exported.link : readAddress();
      if (asked && this.visit.address === addressOf({ ...asked, us: asked.us ?? 0 })) return;
      if (asked) await this.openLesson(asked);
      else await this.openLive();
    });
  }

  // Says what went wrong, for a while.
  async attempt(action) {
    try {
      await action();
    } catch (error) {
      clearTimeout(this.failing);
      this.setState({ failure: error.message, isLoading: false });
      this.failing = setTimeout(() => this.player && this.setState({ failure: undefined }), FAILURE_MS);
    }
  }

  async loading(action) {
    this.setState({ isLoading: true });
    await action();
    this.setState({ isLoading: false, isWelcome: false, failure: undefined });
  }

  // Visitors of a class may not see the running cluster: they begin with the first lesson.
  async openLive() {
    try {
      await this.visit.openLive();
    } catch (error) {
      if (error.status !== 401) throw error;
      await this.openFirst();
      return;
    }
    this.setState({ isWelcome: true });
  }

  openLesson(link) {
    return this.loading(() => this.visit.openLesson(link));
  }

  onLead(lead) {
    const before = this.state.lead;
    this.setState({ lead });
    if (lead.isKept && lead.number !== before?.number && !this.state.isInstructor) location.hash = lead.place;
  }

  lead(answer) {
    this.attempt(async () => this.setState({ lead: await answer }));
  }

  get isKept() {
    return Boolean(this.state.lead?.isKept) && !this.state.isInstructor;
  }

  act(act, id) {
    const { source, us } = this.player;
    const already = needless(act, id, source.at(source.isLive ? source.endUs : us) ?? this.player.scene);
    if (already) return this.notify(already);
    return this.attempt(() => (this.player.source.isLive ? this.actLive(act, id) : this.actInLesson(act, id)));
  }

  // Makes a branch, and returns true; unless the one before it, or a lesson, is on its way.
  async branch(action) {
    if (this.state.isLoading) {
      this.notify("The lesson is still being prepared: nothing has changed. Try again once it is here.");
      return false;
    }
    await this.loading(action);
    return true;
  }

  // Shows three releases at the moment of their first difference.
  async compareReleases() {
    if (await this.branch(() => this.visit.compareReleases())) await jumpToFirst(this.visit);
  }

  async actInLesson(act, id) {
    const command = commandOf(act, id, this.player);
    if (!(await this.branch(() => this.visit.act(act, id)))) return;
    this.notify(`Branch ${LETTERS[this.visit.active]}: ${act.says(id)}`, command);
  }

  async actLive(act, id) {
    const { scene, source } = this.player;
    const command = act.live.command(id, scene);
    const noted = source.noteAct(act.name, id, command);
    const answer = await post(act.live.path(id, scene), act.live.body?.(Number(id)) ?? {}).catch((error) => {
      throw new Error(`${act.name}: refused. ${error.message}`);
    });
    noted.isAnswered = true;
    this.player.follow(); // acts happen now, whatever moment is shown
    this.notify(act.says(id, answer), command);
  }

  // Says what an act has done, for a while; `command` does the same elsewhere.
  notify(said, command) {
    clearTimeout(this.noticed);
    this.setState({ notice: { said, command }, failure: undefined });
    this.noticed = setTimeout(() => this.setState({ notice: undefined }), FAILURE_MS);
  }

  async share() {
    this.visit.note();
    await navigator.clipboard?.writeText(location.href).catch(() => undefined);
    this.setState({ isShared: true });
    setTimeout(() => this.setState({ isShared: false }), 2000);
  }

  async save(format) {
    this.visit.note();
    this.notify("The file is being written…");
    this.notify(`Saved ${await save(this.visit.address, format)}.`);
  }

  breakSomething() {
    const { scene } = this.player;
    if (!scene) return; // its film is on the way
    const id = Object.keys(scene.brokers).find((key) => scene.brokers[key].truth === "unfenced") ?? Object.keys(scene.brokers)[0];
    this.setState({ selected: { kind: "broker", id } }, () => document.querySelector(".acts button")?.focus());
  }

  openFirst() {
    return this.openLesson(FIRST_LESSON);
  }

  select(selected) {
    this.setState({ selected });
  }

  // Moves to a time that the visitor has chosen.
  seek(us) {
    this.player.pause();
    this.player.seek(us);
  }

  // Moves to an event, and shows why it happened.
  pick(event) {
    this.seek(event.atUs);
    this.select({ kind: "event", id: event.seq });
  }

  goOn(stop) {
    stop.isAnswered = true;
    this.setState({ stop: undefined, choice: undefined });
    this.player.us += 1; // past the moment before the event
    this.player.play();
  }

  render() {
    return this.player ? html`<${Layout} page=${this} />` : html`<${Waiting} page=${this} />`;
  }
}
