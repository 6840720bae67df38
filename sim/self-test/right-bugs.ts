import type { PlantedBug } from './planted-bug.ts'

const hunt = 'rights-are-few'

/** Bugs of what callers with few rights are shown, and may do. */
export const rightBugs: readonly PlantedBug[] = [
  {
    row: 180,
    name: 'any-entry-is-listed',
    about: 'a list of keys and the results of a transaction contain entries that the token may not read',
    patches: [
      {
        file: 'src/features/kv/operations.js',
        find: 'return keptOf(entries, ({ key }) => readingRefused(authorizer, key) === undefined);',
        replace:
          'return keptOf(entries, ({ key }) => readingRefused(authorizer, key) === undefined || key !== undefined);',
      },
    ],
    hunt,
    foundBy: ['A1'],
  },
  {
    row: 181,
    name: 'sessions-end-for-anyone',
    about: 'a caller without the right to write the sessions of a node can destroy one',
    patches: [
      {
        file: 'src/features/session/endpoint.js',
        find: 'if (authorizer !== unrestricted) {',
        replace: 'if (authorizer === unrestricted) {',
      },
    ],
    hunt,
    foundBy: ['A1', 'A4'],
  },
  {
    row: 182,
    name: 'hidden-services-are-told',
    about: 'a caller that may read a node gets the instances and checks of all its services',
    patches: [
      {
        file: 'src/features/discovery/sight.js',
        find: 'return seesNode(authorizer, node) && seesService(authorizer, service);',
        replace: "return seesNode(authorizer, node) && (service !== '' || seesService(authorizer, service));",
      },
    ],
    hunt,
    foundBy: ['A1'],
  },
  {
    row: 183,
    name: 'trees-go-by-their-prefix',
    about: 'a caller that may write a prefix, but not all keys below it, can delete them all',
    patches: [
      {
        file: 'src/features/kv/rights.js',
        find: 'return authorizer.writesTree(name) ?',
        replace: "return authorizer.allows('key', name, 'write') ?",
      },
    ],
    hunt,
    foundBy: ['A1', 'A4'],
  },
  {
    row: 184,
    name: 'refused-and-done',
    about: 'a transaction that is refused for lack of rights takes effect all the same',
    patches: [
      {
        file: 'src/features/txn/endpoint.js',
        find: "return ok({ kind: 'failed', errors: refused });",
        replace:
          "await server.propose(transactionApply, { operations: operations.map((operation) => judged(server, operation)) }, identity);\n        return ok({ kind: 'failed', errors: refused });",
      },
    ],
    hunt,
    foundBy: ['A1'],
  },
  {
    row: 340,
    name: 'index-of-hidden-rows',
    about: 'the index of an answer to a token with few rights is that of the whole result, hidden rows included',
    patches: [
      {
        file: 'src/agent/requests/serving/seen-results.js',
        find: 'return greater(visibleIndex(sight, newest, store.live, args), store.floor, firstChange);',
        replace: 'return whole;',
      },
    ],
    hunt: 'hidden-things-change',
    foundBy: ['W6'],
  },
  {
    row: 341,
    name: 'hidden-checks-count',
    about: 'the index of a list of checks counts those that the token may not see',
    patches: [
      {
        file: 'src/features/catalog/sight.js',
        find: 'of checksSeenBy(authorizer, [...checks])) {',
        replace: 'of checks) {',
      },
    ],
    hunt: 'hidden-things-change',
    foundBy: ['W6'],
  },
  {
    row: 374,
    name: 'moved-nodes-do-not-count',
    about: 'the index of instances that a token with few rights may see ignores changes of their nodes',
    patches: [
      {
        file: 'src/features/catalog/sight.js',
        find: 'newest = greater(newest, instance.modifyIndex, nodeByName(state, instance.node)?.modifyIndex ?? noChange);',
        replace: 'newest = greater(newest, instance.modifyIndex);',
      },
    ],
    hunt: 'seen-things-change',
    foundBy: ['W1', 'W2'],
  },
  {
    row: 375,
    name: 'metadata-do-not-count',
    about: 'the index of checks on nodes with some metadata ignores changes of nodes',
    patches: [
      {
        file: 'src/features/health/endpoint.js',
        find: 'wanted === undefined ? checksIndex(tx) : greater(checksIndex(tx), nodesIndex(tx));',
        replace: 'checksIndex(tx);',
      },
    ],
    hunt: 'seen-things-change',
    foundBy: ['W1', 'W2'],
  },
  {
    row: 385,
    name: 'sessions-without-checks',
    about: 'a session without checks is acknowledged and not created',
    patches: [
      {
        file: 'src/features/session/endpoint.js',
        find: "const outcome = await measured(server, 'session.apply', () => server.propose(sessionCreate,",
        replace:
          "if (args.checks.length === 0) return ok(id);\n    const outcome = await measured(server, 'session.apply', () => server.propose(sessionCreate,",
      },
    ],
    hunt: 'rights-are-few',
    foundBy: ['A6'],
  },
  {
    row: 386,
    name: 'keys-of-guests-are-not-written',
    about: 'a key that a token with few rights writes is acknowledged and not written',
    patches: [
      {
        file: 'src/features/kv/write-endpoints.js',
        find: 'serve: (server, args, identity) => apply(server, kvPut, args, identity),',
        replace:
          'serve: async (server, args, identity, authorizer) => authorizer.unrestricted ? apply(server, kvPut, args, identity) : { ok: true, value: true },',
      },
    ],
    hunt: 'rights-are-few',
    foundBy: ['A6'],
  },
  {
    row: 387,
    name: 'every-destination-has-changed',
    about: 'a change of an intention by a token with few rights is refused: its destination is said to have changed',
    patches: [
      {
        file: 'src/features/intention/commands.js',
        find: 'return seenFor !== null && destination.name !== seenFor;',
        replace: 'return seenFor !== null;',
      },
    ],
    hunt,
    foundBy: ['A4'],
  },
  {
    row: 388,
    name: 'duplicates-of-themselves',
    about: 'a change of an intention that leaves its ends as they are is refused as a duplicate of itself',
    patches: [
      {
        file: 'src/features/intention/commands.js',
        find: 'return known === undefined || known.id === body.id ?',
        replace: 'return known === undefined ?',
      },
    ],
    hunt,
    foundBy: ['A4'],
  },
  {
    row: 389,
    name: 'changes-without-a-destination',
    about: 'the command for a change of an intention by a token with few rights lacks the destination that was judged',
    patches: [
      {
        file: 'src/features/intention/apply-endpoint.js',
        find: 'if (refused === undefined)\n        return ok(name);',
        replace: 'if (refused === undefined)\n        return ok();',
      },
    ],
    hunt,
    foundBy: ['P2'],
  },
  {
    row: 437,
    name: 'executions-show-everything',
    about: 'what a prepared query finds is not filtered by the rights of the caller',
    patches: [
      {
        file: 'src/features/query/execute-endpoints.js',
        find: "(executed.kind === 'found' ? foundSeenBy(authorizer, executed) : executed)",
        replace: 'executed',
      },
    ],
    hunt,
    foundBy: ['A1', 'A5'],
  },
  {
    row: 438,
    name: 'hidden-sessions-move-an-index',
    about: 'the index of a session that a token may see rises when another session begins',
    patches: [
      {
        file: 'src/features/session/endpoint.js',
        find: 'session?.modifyIndex ?? noChange',
        replace: 'session === null ? noChange : sessionsIndex(_state)',
      },
    ],
    hunt: 'hidden-things-change',
    foundBy: ['W6'],
  },
]
