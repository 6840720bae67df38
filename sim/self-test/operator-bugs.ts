import type { PlantedBug } from './planted-bug.ts'

/** Bugs of a leader that manages its servers. */
const autopilotBugs: readonly PlantedBug[] = [
  {
    row: 52,
    name: 'one-of-three-goes',
    about: 'a dead server is removed from a group of three voters, so that neither of the other two may fail',
    patches: [
      {
        file: 'src/agent/servers/clean-up.js',
        find: 'if (dead.length >= Math.floor(voters.length / 2)) {',
        replace: 'if (dead.length > Math.floor(voters.length / 2)) {',
      },
    ],
    hunt: 'servers-are-replaced',
    foundBy: ['O1'],
  },
  {
    row: 53,
    name: 'min-quorum-counts-the-dead',
    about: 'min_quorum is compared with the number of voters before the dead ones are removed',
    patches: [
      {
        file: 'src/agent/servers/clean-up.js',
        find: 'if (remaining.length < view.minQuorum) {',
        replace: 'if (voters.length < view.minQuorum) {',
      },
    ],
    hunt: 'servers-are-replaced',
    foundBy: ['O1'],
  },
  {
    row: 54,
    name: 'newcomers-vote-at-once',
    about: 'a new server gets its vote as soon as it is healthy, and not after the stabilization time',
    patches: [
      {
        file: 'src/agent/servers/server-membership.js',
        find: 'forMs !== undefined && forMs >= this.#parts.settings().serverStabilizationMs;',
        replace: 'forMs !== undefined;',
      },
    ],
    hunt: 'servers-are-replaced',
    foundBy: ['O2'],
  },
  {
    row: 123,
    name: 'gossip-alone-removes',
    about: 'a server that gossip reports as failed is removed, although it answers its leader',
    patches: [
      {
        file: 'src/agent/servers/lost-servers.js',
        find: 'return this.#isMissed(server) && !this.showsLife(server.id);',
        replace: 'return this.#isMissed(server);',
      },
    ],
    hunt: 'failed-but-following',
    foundBy: ['O3'],
  },
  {
    row: 124,
    name: 'reconciled-by-an-old-list',
    about: 'a member is reconciled with the status that it had when the round began, also before its server is removed',
    patches: [
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'for (const name of this.#members().keys()) {',
        replace: 'for (const [, name] of this.#members()) {',
      },
      {
        file: 'src/agent/servers/reconcile.js',
        find: 'const member = this.#members().get(name);',
        replace: 'const member = name;',
      },
      {
        file: 'src/agent/servers/member-records.js',
        find: 'if (present.some((one) => one.status',
        replace: 'if (present.length < 0 && present.some((one) => one.status',
      },
    ],
    hunt: 'members-rejoin',
    foundBy: ['O3'],
  },
]

/** Bugs of forwarding to another datacenter. */
const forwardingBugs: readonly PlantedBug[] = [
  {
    row: 55,
    name: 'write-forgets-its-datacenter',
    about: 'a write for another datacenter takes effect in the one where it was requested',
    patches: [
      {
        file: 'src/agent/requests/asking/calls.js',
        find: '{} : { datacenter: options.datacenter };',
        replace: '{} : {};',
      },
    ],
    hunt: 'across-datacenters',
    foundBy: ['D1', 'K1'],
  },
  {
    row: 56,
    name: 'sent-over-without-identity',
    about: 'a write for another datacenter is sent without the identity that marks a repeat',
    patches: [
      {
        file: 'src/agent/requests/asking/datacenter-target.js',
        find: 'body: { ...request, forward: true },',
        replace: 'body: { ...request, identity: undefined, forward: true },',
      },
    ],
    hunt: 'across-datacenters',
    foundBy: ['K1'],
  },
  {
    row: 57,
    name: 'stale-from-elsewhere',
    about: 'a server that is asked by another datacenter answers reads of every consistency mode from its own state',
    patches: [
      {
        file: 'src/agent/requests/asking/datacenter-target.js',
        find: 'body: { ...request, forward: true },',
        replace:
          "body: { ...request, ...(request.read && { read: { ...request.read, consistency: 'stale' } }), forward: true },",
      },
    ],
    hunt: 'across-datacenters',
    foundBy: ['K1', 'W1'],
  },
]

/** Bugs of executing a prepared query. */
const queryBugs: readonly PlantedBug[] = [
  {
    row: 58,
    name: 'queries-find-the-critical',
    about: 'a query finds instances with a critical check, unless it asks for passing ones only',
    patches: [
      {
        file: 'src/features/query/instances.js',
        find: "(onlyPassing ? status === 'passing' : status !== 'critical')",
        replace: "(!onlyPassing || status === 'passing')",
      },
    ],
    hunt: 'queries-fail-over',
    foundBy: ['Q1'],
  },
  {
    row: 59,
    name: 'first-failover-is-the-last',
    about: 'a query that found nothing in its first failover datacenter tries no other',
    patches: [
      {
        file: 'src/features/query/execution.js',
        find: 'if (entries.length > 0)\n',
        replace: 'if (entries.length >= 0)\n',
      },
    ],
    hunt: 'queries-fail-over',
    foundBy: ['Q1'],
  },
  {
    row: 60,
    name: 'nearest-is-not-enough',
    about: 'a query tries the datacenters that it names before the nearest ones',
    patches: [
      {
        file: 'src/features/query/elsewhere-endpoint.js',
        find: '[...others.slice(0, failover.nearestN), ...named]',
        replace: '[...named, ...others.slice(0, failover.nearestN)]',
      },
    ],
    hunt: 'queries-fail-over',
    foundBy: ['Q1'],
  },
]

/** Bugs of features that operators rely on: autopilot, forwarding between datacenters, prepared queries. */
export const operatorBugs: readonly PlantedBug[] = [...autopilotBugs, ...forwardingBugs, ...queryBugs]
