import type { PlantedBug } from './planted-bug.ts'

const local = 'src/agent/local'
const hunt = 'services-come-and-go'
const aliasHunt = 'checks-stand-for-others'

/** Bugs of agents that register services and checks, and of the way into the catalog. */
export const registrationBugs: readonly PlantedBug[] = [
  {
    row: 140,
    name: 'changes-join-the-pass',
    about: 'a change that comes while a sync is under way counts as synced with it',
    patches: [
      {
        file: `${local}/anti-entropy.js`,
        find: 'const next = this.#next;\n            this.#next = undefined;',
        replace: 'const next = this.#next;',
      },
      {
        file: `${local}/anti-entropy.js`,
        find: 'next.resolve(undefined);\n            if (passed.ok)',
        replace: 'next.resolve(undefined);\n            this.#next = undefined;\n            if (passed.ok)',
      },
    ],
    hunt,
    foundBy: ['E5', 'E6'],
  },
  {
    row: 141,
    name: 'failed-sync-is-not-repeated',
    about: 'a failed sync is not retried: only the next full comparison repeats it',
    patches: [
      {
        file: `${local}/sync-pace.js`,
        find: 'this.#retryTimer = this.#parts.env.timers.after(pauseMs, () => this.#parts.onRetry());',
        replace: ';',
      },
    ],
    hunt,
    foundBy: ['E5', 'E6'],
  },
  {
    row: 142,
    name: 'kept-before-it-is-durable',
    about: 'a registration is acknowledged before it is synced to disk',
    patches: [
      {
        file: `${local}/journal.js`,
        find: 'const written = await file.writeThrough(this.#endsAt, frame);',
        replace: 'const written = await file.write(this.#endsAt, frame);',
      },
    ],
    hunt,
    foundBy: ['E5'],
  },
  {
    row: 143,
    name: 'removed-checks-stay',
    about: 'a check that is removed without its service stays in the catalog',
    patches: [
      {
        file: `${local}/due-changes.js`,
        find: "const outcome = await writes.deregister('check', due);",
        replace: "const outcome = 'accepted';",
      },
    ],
    hunt,
    foundBy: ['E5'],
  },
  {
    row: 144,
    name: 'reports-do-not-extend',
    about: 'a TTL check becomes critical one TTL after its registration, whatever status is reported in between',
    patches: [
      {
        file: `${local}/ttl-check.js`,
        find: 'this.#lastOutput = output;\n        this.#timer.close();\n        this.#timer = this.#wait();',
        replace: 'this.#lastOutput = output;',
      },
    ],
    hunt,
    foundBy: ['E6', 'E13'],
  },
  {
    row: 145,
    name: 'silence-is-not-told',
    about: 'a TTL check that becomes critical is not synced to the catalog before the next change',
    patches: [
      {
        file: `${local}/check-results.js`,
        find: "level, 'agent', `Check is now ${outcome.status}`, { check: checkId });\n        }\n        changed();",
        replace: "level, 'agent', `Check is now ${outcome.status}`, { check: checkId });\n        }",
      },
    ],
    hunt,
    foundBy: ['E6'],
  },
  {
    row: 146,
    name: 'sessions-outlive-their-checks',
    about: 'a check that becomes critical does not invalidate the sessions that depend on it',
    patches: [
      {
        file: 'src/features/session/commands.js',
        find: 'onEvent(checkBecameCritical, endSessionsOfCheck),',
        replace: '',
      },
    ],
    hunt: 'services-have-locks',
    foundBy: ['S4'],
  },
  {
    row: 147,
    name: 'sessions-outlive-removed-checks',
    about: 'a check that is removed, with its service or alone, does not invalidate the sessions that depend on it',
    patches: [
      {
        file: 'src/features/session/commands.js',
        find: 'onEvent(checkRemoved, endSessionsOfCheck),',
        replace: '',
      },
    ],
    hunt: 'services-have-locks',
    foundBy: ['S4'],
  },
  {
    row: 148,
    name: 'keys-stay-whatever-was-asked',
    about: 'when a session ends whose behaviour is to delete its keys, they are only released',
    patches: [
      {
        file: 'src/features/kv/writes.js',
        find: "behaviour === 'delete'",
        replace: "behaviour === 'never'",
      },
    ],
    hunt: 'services-have-locks',
    foundBy: ['S4'],
  },
  {
    row: 422,
    name: 'nodes-go-by-any-spelling',
    about: 'a deregistration needs the right to the name of the node as it spells it, not to that of the existing node',
    patches: [
      {
        file: 'src/features/catalog/rights.js',
        find: 'nodeRefused(authorizer, node, nodeByName(tx, node))',
        replace: 'nodeRefused(authorizer, node, undefined)',
      },
    ],
    hunt: 'rights-are-few',
    foundBy: ['A1'],
  },
  {
    row: 423,
    name: 'instances-change-hands',
    about: 'a registration that gives the ID of an instance to another service needs no right to the former service',
    patches: [
      {
        file: 'src/features/catalog/rights.js',
        find: "yield writing('service', before.service);",
        replace: 'void before;',
      },
    ],
    hunt: 'rights-are-few',
    foundBy: ['A1'],
  },
  {
    row: 452,
    name: 'aliases-miss-node-checks',
    about:
      'an alias of a service is not looked at again when a check of its node changes, only with one of the service',
    patches: [
      {
        file: `${local}/alias-checks.js`,
        find: "serviceId === '' ? this.#followed.keys() :",
        replace: "serviceId === '' ? undefined :",
      },
    ],
    hunt: aliasHunt,
    foundBy: ['E11'],
  },
  {
    row: 453,
    name: 'aliases-forget-the-node',
    about: 'an alias of a service of another node leaves out the checks of that node, as if it could not fail',
    patches: [
      {
        file: `${local}/remote-alias.js`,
        find: "return serviceId === '' || itemKey(serviceId)",
        replace: 'return itemKey(serviceId)',
      },
    ],
    hunt: aliasHunt,
    foundBy: ['E11'],
  },
  {
    row: 454,
    name: 'ports-chosen-together',
    about: 'sidecars that are registered at the same time choose their ports before either is taken',
    patches: [
      {
        file: `${local}/places.js`,
        find: "[...own, 'ports of sidecars', serviceThing(id)",
        replace: '[...own, serviceThing(id)',
      },
    ],
    hunt: aliasHunt,
    foundBy: ['E12'],
  },
]
