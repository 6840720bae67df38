import type { PlantedBug } from './planted-bug.ts'

const hunt = 'requests-are-refused'

/** Bugs of requests that must be refused, and of those that only look so. */
export const refusalBugs: readonly PlantedBug[] = [
  {
    row: 370,
    name: 'another-policy-than-the-path',
    about: 'a policy is replaced although the body of the request has the ID of another one',
    patches: [
      {
        file: 'src/features/acl/tokens/policy-routes.js',
        find: "if (ID !== '' && ID !== id)",
        replace: "if (ID !== '' && ID.length !== id.length)",
      },
    ],
    hunt,
    foundBy: ['F1'],
  },
  {
    row: 371,
    name: 'refusals-in-the-log',
    about: 'the definition of a query for a session that never existed is written to the log before it is refused',
    patches: [
      {
        file: 'src/features/query/commands.js',
        find: 'withoutEffect: (tx, body) => (hasItsSession(tx, body) ? undefined : refused(stateRefusal(tx, body))),',
        replace: 'withoutEffect: () => undefined,',
      },
    ],
    hunt,
    foundBy: ['F1'],
  },
  {
    row: 372,
    name: 'any-index-will-do',
    about: 'the configuration of the certificate authority is changed whatever index the caller demands',
    patches: [
      {
        file: 'src/features/connect/rotation-commands.js',
        find: 'if (body.onlyAt !== null && body.onlyAt !== authority.modifyIndex)',
        replace: 'if (body.onlyAt !== null && body.onlyAt > authority.modifyIndex)',
      },
    ],
    hunt,
    foundBy: ['F1'],
  },
  {
    row: 373,
    name: 'null-is-no-delay',
    about: 'a session whose lock delay is null is refused instead of given the default',
    patches: [
      {
        file: 'src/features/session/create-body.js',
        find: 'if (value === undefined || value === null)',
        replace: 'if (value === undefined)',
      },
    ],
    hunt,
    foundBy: ['F1'],
  },
]
