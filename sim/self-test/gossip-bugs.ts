import type { PlantedBug } from './planted-bug.ts'

const members = 'src/gossip/core'

/** Bugs of gossip that repairs hide: the pool still agrees, by exchanges of states, or later. */
export const gossipBugs: readonly PlantedBug[] = [
  {
    row: 410,
    name: 'intents-stay-here',
    about: 'a member does not pass on what it hears about joins and leaves, which others learn by exchanges alone',
    patches: [
      {
        file: `${members}/intents.js`,
        find: "if (source === 'gossip')\n        broadcastIntent",
        replace: 'if (source === undefined)\n        broadcastIntent',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M12'],
  },
  {
    row: 411,
    name: 'leaves-go-round',
    about: 'a leave intent counts, and is passed on, whenever it arrives at the Lamport time that is known already',
    patches: [
      {
        file: `${members}/intents.js`,
        find: 'if (intent.lamport <= member.statusTime)\n        return;\n    member.statusTime',
        replace: 'if (intent.lamport < member.statusTime)\n        return;\n    member.statusTime',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M12', 'M13'],
  },
  {
    row: 412,
    name: 'claimed-leave-stands',
    about: 'an agent that stays does not answer the intents that others know of it from an earlier life',
    patches: [
      {
        file: `${members}/intents.js`,
        find: "if (gossip.leaving !== 'member')\n        return;\n    note",
        replace: "if (gossip.leaving !== 'left')\n        return;\n    note",
      },
    ],
    hunt: 'late-words',
    foundBy: ['M13'],
  },
  {
    row: 413,
    name: 'first-stays-listed',
    about: 'the member that failed or left first stays on that list when it comes back, and is tried and forgotten',
    patches: [{ file: `${members}/membership.js`, find: 'if (at >= 0)', replace: 'if (at > 0)' }],
    hunt: 'late-words',
    foundBy: ['M5'],
  },
  {
    row: 414,
    name: 'nack-comes-too-late',
    about: 'a member says that a ping is unanswered when the probe timeout is over, and the prober has given up',
    patches: [{ file: `${members}/relay.js`, find: 'Math.min(nackMs, dueMs)', replace: 'Math.max(nackMs, dueMs)' }],
    hunt: 'late-words',
    foundBy: ['M8'],
  },
  {
    row: 415,
    name: 'pings-from-one',
    about: 'each process numbers its pings from one, so that answers to an earlier life count in this one',
    patches: [
      {
        file: `${members}/step.js`,
        find: 'gossip.sequence = gossip.turn.random.below(4_294_967_296);',
        replace: '',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M8'],
  },
  {
    row: 416,
    name: 'exchanges-begin-at-once',
    about: 'all members begin their exchanges of states at the moment when they meet',
    patches: [
      {
        file: `${members}/timers.js`,
        find: 'pushPullMs(pushPullIntervalMs, roster.length) - pushPullIntervalMs',
        replace: '-pushPullIntervalMs',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M11'],
  },
  {
    row: 417,
    name: 'own-version-unread',
    about: 'an agent takes a member that does not understand the version which the agent speaks',
    patches: [
      {
        file: `${members}/validity.js`,
        find: 'isWithin(delegate, other.delegateSpoken) && isWithin(delegate, own.delegateSpoken)',
        replace: 'isWithin(delegate, other.delegateSpoken)',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M3'],
  },
  {
    row: 418,
    name: 'nacks-do-not-count',
    about:
      'an agent lowers its own health although all members that it asked about a dead one have said that it is silent',
    patches: [
      {
        file: `${members}/probe.js`,
        find: 'nacksExpected > 0 ? nacksExpected - nacks : 1',
        replace: 'nacksExpected > nacks ? nacksExpected : 1',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M6'],
  },
  {
    row: 419,
    name: 'one-partner-missed',
    about: 'where chance has not found enough partners of gossip, one of the members is never considered',
    patches: [
      {
        file: `${members}/roster.js`,
        find: 'for (let at = 0; at < roster.length && picked',
        replace: 'for (let at = 1; at < roster.length && picked',
      },
    ],
    hunt: 'late-words',
    foundBy: ['M12', 'M8'],
  },
  {
    row: 426,
    name: 'second-failure-untold',
    about: 'an agent is not told that a member failed which it considered left, and which has been back meanwhile',
    patches: [
      {
        file: `${members}/membership.js`,
        find: "count(gossip, 'serf.member.failed');\n    tell(gossip, 'failed', member);",
        replace: "count(gossip, 'serf.member.failed');",
      },
    ],
    hunt: 'members-rejoin',
    foundBy: ['M14'],
  },
  {
    row: 427,
    name: 'failed-hear-nothing',
    about: 'a member that has failed hears no gossip from the next round of probes on, so that it learns late of it',
    patches: [
      {
        file: `${members}/roster.js`,
        find: "member.state !== 'dead' || member === gossip.self || hearsGossip(gossip, member)",
        replace: "member.state !== 'dead' || member === gossip.self",
      },
    ],
    hunt: 'late-words',
    foundBy: ['M12'],
  },
  {
    row: 428,
    name: 'gone-targets-unsaid',
    about: 'a member that is asked to ping one that has left says nothing, as if it were not healthy itself',
    patches: [{ file: `${members}/relay.js`, find: 'if (wantsNack)', replace: 'if (!wantsNack)' }],
    hunt: 'agents-are-renamed',
    foundBy: ['M8'],
  },
]
