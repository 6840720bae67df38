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
    foundBy: ['M1', 'M2', 'M3', 'E1', 'E3', 'L1', 'M6'],
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
    about: 'an alive message revives a dead member, whatever the incarnation of the message is (memberlist#311)',
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
    foundBy: ['M1', 'M2', 'E1', 'E3', 'M12', 'M13'],
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
    row: 204,
    name: 'refuted-below-the-accusation',
    about: 'a member refutes with the incarnation after its own, which may not be greater than that of the accusation',
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
    row: 247,
    name: 'places-forgotten',
    about: 'the coordinates of other members are not kept, so that no list can be sorted by distance',
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
    about: 'a member relays the answer to a query to any address that a packet names',
    patches: [
      {
        file: `${members}/queries.js`,
        find: 'if (!gossip.livingAt.has(to))',
        replace: 'if (gossip.livingAt === undefined)',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M9'],
  },
  {
    row: 209,
    name: 'answers-go-to-any-port',
    about: 'a member relays the answer to a query to any port that a packet names on the host of a member',
    patches: [
      {
        file: `${members}/living-addresses.js`,
        find: 'return `${port} ${host}`;',
        replace: 'return `${port > 0} ${host}`;',
      },
    ],
    hunt: 'members-are-hostile',
    foundBy: ['M9'],
  },
  {
    row: 210,
    name: 'any-place-is-believed',
    about: 'an agent adjusts its coordinate to that of another agent, however implausible that one is',
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
    about: 'the limit for names is 128 UTF-16 units, which may be more than 128 bytes',
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
  {
    row: 347,
    name: 'new-leaders-remove-the-failed',
    about: 'a server that has just become the leader takes failed members for members that left',
    patches: [
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'return this.#failed(member);',
        replace: 'return this.#timer === undefined ? this.#records.deregister(member.name) : this.#failed(member);',
      },
    ],
    hunt: 'leaves-are-unheard',
    foundBy: ['E3'],
  },
  {
    row: 348,
    name: 'failed-for-minutes-is-gone',
    about: 'a leader removes the node of a member that has failed for four minutes, as if the pool had forgotten it',
    patches: [
      {
        file: 'src/agent/servers/reconcile.js',
        find: '!present.has(nameKey(node)) &&',
        replace: "present.get(nameKey(node))?.[0]?.status !== 'alive' &&",
      },
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'if (this.#list().byKey.has(name))',
        replace: "if (this.#list().byKey.get(name)?.[0]?.status === 'alive')",
      },
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'if (now - since >= this.#reconnectTimeoutMs)',
        replace: 'if (now - since >= 2 * unknownFailsMs)',
      },
    ],
    hunt: 'leaves-are-unheard',
    foundBy: ['E3'],
  },
  {
    row: 457,
    name: 'content-with-itself',
    about: 'an agent whose own address is the only one that answers has joined its pool, and looks for it no longer',
    patches: [
      {
        file: 'src/agent/pool/joining.js',
        find: 'if (joined.ok && !this.#mayFindOthers(joined.value))',
        replace: 'if (joined.ok)',
      },
    ],
    hunt: 'pools-are-looked-for',
    foundBy: ['M1', 'L1'],
  },
]
