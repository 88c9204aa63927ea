// A class: the instructor brings every page to a place in a lesson, and releases it again.

import { forgetToken, get, hasToken, poll, post, repeat } from "./service.js";

const PERIOD_MS = 2_000;
const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const UNAUTHORIZED = 401;

export const STEERS = "Who opens the page on the machine of the service may steer a class, and who has its token: http://ADDRESS/#token=TOKEN. A service with a token asks everybody for it.";
const WRONG_TOKEN = "The token in this address is not that of the service, which prints it as KRAFTSIM_TOKEN. You see the lessons as a visitor, and cannot steer.";

// Asks the service whether this page may steer; raises an error for a wrong token, which is forgotten.
export async function maySteer() {
  const isGiven = hasToken();
  if (!isGiven && !LOOPBACK.has(location.hostname)) return false;
  try {
    await get("/sim/clock");
    return true;
  } catch (error) {
    if (error.status !== UNAUTHORIZED || !isGiven) return false;
    forgetToken();
    throw new Error(WRONG_TOKEN);
  }
}

export const steer = (place) => post("/sim/lessons/steer", { place });
export const release = () => post("/sim/lessons/release");
export const predict = (choice) => post("/v1/lessons/predict", { choice }).catch(() => undefined);

// Calls `onLead` with the place of the class as long as the page is open, and `onSilence` with why there
// is none, or with undefined once the service answers again.
export function followLead(onLead, onSilence) {
  const look = async () => {
    try {
      onLead(await poll("/v1/lessons/lead"));
      onSilence(undefined);
    } catch (error) {
      onSilence(error.status ? undefined : error.message);
    }
  };
  repeat(look, PERIOD_MS);
}
