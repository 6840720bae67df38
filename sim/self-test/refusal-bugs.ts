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
  {
    row: 400,
    name: 'reads-wait-for-a-heartbeat',
    about: 'a leader does not ask whether it still leads until its next heartbeat, so consistent reads wait for that',
    patches: [
      { file: 'src/raft/core/read.js', find: 'sendHeartbeat(raft, leader, progress);', replace: 'void progress;' },
    ],
    hunt,
    foundBy: ['L2'],
  },
  {
    row: 401,
    name: 'entries-wait-for-a-heartbeat',
    about: 'a leader does not send new entries to its followers before its next heartbeat shows that they lack them',
    patches: [
      { file: 'src/raft/core/proposals.js', find: 'replicateToAll(raft, raft.role);', replace: 'void replicateToAll;' },
    ],
    hunt,
    foundBy: ['L2'],
  },
  {
    row: 434,
    name: 'executions-wait',
    about: 'an agent that executes a prepared query waits for an index as a blocking read does',
    patches: [
      {
        file: 'src/features/query/execute-routes.js',
        find: 'ok({ ...options.value, minIndex: noChange, waitMs: 0 })',
        replace: 'options',
      },
    ],
    hunt,
    foundBy: ['L2'],
  },
  {
    row: 435,
    name: 'operators-need-no-right',
    about: 'a caller without any right may configure autopilot and remove servers',
    patches: [
      {
        file: 'src/features/operator/endpoint.js',
        find: "const writes = asks((authorizer) => refusedUnlessAllowed(authorizer, 'operator', '', 'write'));",
        replace: 'const writes = asks(() => undefined);',
      },
    ],
    hunt,
    foundBy: ['F1'],
  },
  {
    row: 463,
    name: 'translated-as-exact',
    about: 'legacy rules for everything below a name are translated to rules for that name alone',
    patches: [{ file: 'src/access/translate.js', find: '[name, `${name}_prefix`]', replace: '[name, name]' }],
    hunt,
    foundBy: ['F1'],
  },
]
