import type { PlantedBug } from './planted-bug.ts'

const members = 'src/gossip/core'

/** Bugs of the failure detector: probes, suspicions, deaths, and what is sent to members that are gone. */
export const detectionBugs: readonly PlantedBug[] = [
  {
    row: 29,
    name: 'suspicion-without-end',
    about: 'a suspicion never times out, so that no member is ever found dead',
    patches: [
      {
        file: `${members}/suspicion.js`,
        find: 'if (setMs === undefined || dueMs < setMs)',
        replace: 'if (setMs !== undefined && dueMs < setMs)',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M4'],
  },
  {
    row: 30,
    name: 'gossip-to-those-who-left',
    about: 'gossip is also sent to members that have left, as to failed ones',
    patches: [
      {
        file: `${members}/roster.js`,
        find: "return member.status === 'failed' && deadMs",
        replace: 'return deadMs',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M5'],
  },
  {
    row: 31,
    name: 'sleep-is-blamed-on-others',
    about: 'an agent that was paused blames the others for the silence of its own pause',
    patches: [
      {
        file: `${members}/health.js`,
        find: 'timing.probeIntervalMs && without?.sleepExcuse !== true;',
        replace: 'timing.probeIntervalMs && without?.sleepExcuse === false;',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M6'],
  },
  {
    row: 34,
    name: 'members-by-the-wall-clock',
    about: 'membership uses the wall clock, so that a jump forgets dead members too early',
    patches: [
      {
        file: 'src/gossip/driver/steps.js',
        find: 'step(this.#core, event, this.#clock.monoMs(), this.#draws.begin(event))',
        replace: 'step(this.#core, event, this.#clock.wallMs(), this.#draws.begin(event))',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M5', 'M6', 'M4'],
  },
  {
    row: 35,
    name: 'doubt-without-bound',
    about: 'the local health score has no maximum, so that an agent in trouble probes ever more slowly',
    patches: [
      {
        file: `${members}/health.js`,
        find: 'Math.min(healthMax - 1, Math.max(0, gossip.health + delta))',
        replace: 'Math.max(0, gossip.health + delta)',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M6'],
  },
  {
    row: 200,
    name: 'any-answer-counts',
    about: 'an answer to an earlier ping, or to one on behalf of another, counts for the present probe',
    patches: [
      {
        file: `${members}/probe.js`,
        find: 'if (probe === undefined || probe.sequence !== sequence || ',
        replace: 'if (probe === undefined || ',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M8', 'M6'],
  },
  {
    row: 201,
    name: 'silence-is-told-as-an-answer',
    about: 'a member that was asked to ping another one reports an answer although none came in time',
    patches: [
      {
        file: `${members}/relay.js`,
        find: "send(gossip, relay.asker, { kind: 'nack', sequence: relay.askerSequence });",
        replace: "send(gossip, relay.asker, { kind: 'ack', sequence: relay.askerSequence, payload: noPayload });",
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M8'],
  },
  {
    row: 202,
    name: 'suspects-that-leave-are-dead',
    about: 'a member that is leaving is dead as soon as another one is known to suspect it',
    patches: [
      {
        file: `${members}/merge.js`,
        find: "if (remote.state === 'dead' && hasLeft &&",
        replace: 'if (hasLeft &&',
      },
    ],
    hunt: 'leaves-are-cut-short',
    foundBy: ['M10'],
  },
  {
    row: 203,
    name: 'one-more-accuser-is-enough',
    about: 'a suspicion has its minimum timeout as soon as a second member confirms it',
    patches: [
      {
        file: `${members}/scaling.js`,
        find: 'if (expected < 1 || confirmed >= expected)',
        replace: 'if (expected < 1 || confirmed > 0)',
      },
    ],
    hunt: 'leaves-are-cut-short',
    foundBy: ['M10'],
  },
  {
    row: 205,
    name: 'tried-at-every-interval',
    about: 'in each interval every member tries to reconnect to a failed member, which overloads it in a large pool',
    patches: [
      {
        file: `${members}/rounds.js`,
        find: 'if (turn.random.fraction() > failed.length / living)',
        replace: 'if (living < 1)',
      },
    ],
    hunt: 'long-outage',
    foundBy: ['M5'],
  },
  {
    row: 206,
    name: 'tried-twice-as-often',
    about: 'reconnects to failed members are tried twice as often as the settings say',
    patches: [
      {
        file: `${members}/rounds.js`,
        find: 'if (turn.random.fraction() > failed.length / living)',
        replace: 'if (turn.random.fraction() > (2 * failed.length) / living)',
      },
    ],
    hunt: 'long-outage',
    foundBy: ['M5'],
  },
  {
    row: 472,
    name: 'tried-at-random',
    about: 'which failed member is tried again is drawn from all of them each time, so that some are left out for long',
    patches: [{ file: `${members}/rounds.js`, find: '!reconnected.has(member)', replace: 'true' }],
    hunt: 'agents-are-renamed',
    foundBy: ['M5'],
  },
  {
    row: 380,
    name: 'accusations-of-the-well',
    about: 'every fourth ping also accuses its target, although the target is considered alive',
    patches: [
      { file: `${members}/probe.js`, find: 'if (saysNothing)', replace: 'if (saysNothing && sequence % 4 !== 0)' },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M10'],
  },
]
