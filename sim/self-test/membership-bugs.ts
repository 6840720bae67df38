import type { PlantedBug } from './planted-bug.ts'

const members = 'src/gossip/core'

/** Bugs that implementations of SWIM are known for, or could have, each planted where this one could have it. */
export const membershipBugs: readonly PlantedBug[] = [
  {
    row: 18,
    name: 'refutation-without-a-number',
    about: 'an agent that is declared dead refutes that without a higher incarnation, and is ignored',
    patches: [
      {
        file: `${members}/health.js`,
        find: 'gossip.self.incarnation = incarnation;',
        replace: ';',
      },
    ],
    hunt: 'members-come-and-go',
    foundBy: ['M1', 'M2', 'M3', 'E1', 'E3', 'L1'],
  },
  {
    row: 19,
    name: 'incarnation-wraps',
    about: 'any 32-bit number is a valid incarnation, and the greatest is followed by 0',
    patches: [
      { file: `${members}/validity.js`, find: 'value >= 0 && value <= incarnationMax;', replace: 'value >= 0;' },
      {
        file: `${members}/health.js`,
        find: 'const incarnation = Math.max(gossip.self.incarnation, accused) + 1;',
        replace: 'const incarnation = (Math.max(gossip.self.incarnation, accused) + 1) >>> 0;',
      },
      { file: `${members}/health.js`, find: 'if (incarnation > incarnationMax) {', replace: 'if (accused < 0) {' },
    ],
    hunt: 'late-words',
    foundBy: ['M3'],
  },
  {
    row: 19,
    name: 'old-life-raises-the-dead',
    about: 'an alive message revives a dead member whatever its incarnation (memberlist#311)',
    patches: [
      {
        file: `${members}/alive.js`,
        find: 'if (alive.incarnation <= known.incarnation)',
        replace: "if (alive.incarnation <= known.incarnation && known.state !== 'dead')",
      },
    ],
    hunt: 'late-words',
    foundBy: ['M3'],
  },
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
    about: 'gossip is sent to members that have left, too, as to failed ones',
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
    row: 32,
    name: 'leaving-counts-twice',
    about: 'a leave message counts whenever it arrives, so that an old one removes a member that has come back',
    patches: [
      {
        file: `${members}/intents.js`,
        find: 'if (intent.lamport <= member.statusTime)\n        return;\n    member.statusTime',
        replace: 'if (intent.lamport < 0)\n        return;\n    member.statusTime',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M1', 'M2', 'E1', 'E3'],
  },
  {
    row: 33,
    name: 'the-dead-are-not-told',
    about: 'a full state leaves out the dead, so that a restarted member never hears what it has to refute',
    patches: [
      {
        file: `${members}/answers.js`,
        find: 'nodes.push({ node: name, address, meta, incarnation, state, versions });',
        replace:
          "if (state !== 'dead')\n            nodes.push({ node: name, address, meta, incarnation, state, versions });",
      },
    ],
    hunt: 'late-words',
    foundBy: ['M1', 'M2', 'E1'],
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
    about: 'local health has no maximum, so that an agent in trouble probes ever more slowly',
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
    row: 36,
    name: 'place-without-bound',
    about: 'the error of a coordinate has no maximum, so that one bad measurement spoils those of all others',
    patches: [
      { file: `${members}/vivaldi.js`, find: 'Math.min(coordinateErrorMax, error)', replace: 'error' },
      { file: `${members}/vivaldi.js`, find: 'error <= coordinateErrorMax &&', replace: '' },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M7'],
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
    foundBy: ['M8'],
  },
  {
    row: 201,
    name: 'silence-is-told-as-an-answer',
    about: 'a member that was asked to ping another, and got no answer in time, says that it was answered',
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
    about: 'a suspicion takes its shortest time as soon as a second member confirms it',
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
    row: 204,
    name: 'refuted-below-the-accusation',
    about:
      'a member that is accused takes the number after its own, which may be no greater than that of the accusation',
    patches: [
      {
        file: `${members}/health.js`,
        find: 'const incarnation = Math.max(gossip.self.incarnation, accused) + 1;',
        replace: 'const incarnation = gossip.self.incarnation + 1;',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M3'],
  },
  {
    row: 205,
    name: 'tried-at-every-interval',
    about: 'every member tries to reach one that failed in each interval, so that it is overrun in a large pool',
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
    about: 'members that failed are tried twice as often as the settings say',
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
    row: 247,
    name: 'places-forgotten',
    about: 'the places of others are not kept, so that nobody can be found by distance',
    patches: [
      {
        file: `${members}/probe.js`,
        find: 'if (gossip.members.get(target.name) === target)\n        gossip.coordinates.set(target.name, other);',
        replace: '',
      },
    ],
    hunt: 'deaths-in-calm',
    foundBy: ['M7'],
  },
  {
    row: 208,
    name: 'answers-go-anywhere',
    about: 'an answer to a query is handed on to whatever address a packet names',
    patches: [{ file: `${members}/queries.js`, find: 'if (!isMember)', replace: 'if (isMember === undefined)' }],
    hunt: 'members-are-hostile',
    foundBy: ['M9'],
  },
  {
    row: 209,
    name: 'answers-go-to-any-port',
    about: 'an answer to a query is handed on to whatever port of the host of a member a packet names',
    patches: [
      {
        file: `${members}/queries.js`,
        find: 'address.host === to.host && address.port === to.port)',
        replace: 'address.host === to.host)',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M9'],
  },
  {
    row: 210,
    name: 'any-place-is-believed',
    about: 'an agent moves by the place of another one however far that says it is',
    patches: [
      {
        file: `${members}/vivaldi.js`,
        find: 'if (!isPlausible(other) ||',
        replace: 'if (!isCoordinate(other) ||',
      },
      {
        file: `${members}/vivaldi.js`,
        find: 'if (isPlausible(this.#own))',
        replace: 'if (isCoordinate(this.#own))',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M7'],
  },
  {
    row: 211,
    name: 'names-are-counted-in-letters',
    about: 'a name may have 128 units of text, which are up to 256 bytes',
    patches: [
      {
        file: `${members}/validity.js`,
        find: 'bytes += unit < 0x80 ? 1 :',
        replace: 'bytes += unit >= 0 ? 1 :',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M3'],
  },
]
