import type { Breakage } from '../breakage.ts'

/** Keys, sessions and locks. */
export const keyBreakages: readonly Breakage[] = [
  {
    id: 'KV-001',
    file: 'src/features/kv/endpoint.ts',
    find: 'access: asks((authorizer, args) => readingRefused(authorizer, args.key)),',
    replace: 'access: asks((authorizer, args) => listingRefused(authorizer, args.key)),',
  },
  {
    id: 'KV-002',
    file: 'src/features/kv/routes.ts',
    find: "failure.kind === 'permission-denied' && !isTold ?",
    replace: "failure.kind === 'permission-denied' && isTold ?",
  },
  {
    id: 'KV-003',
    file: 'src/features/kv/writes.ts',
    find: 'if (dropRow(tx, key)) tx.put(tombstoneTable, { key, index: tx.index })',
    replace: 'dropRow(tx, key)',
  },
  {
    id: 'KV-004',
    file: 'src/features/kv/duty.ts',
    find: 'this.#steps - step >= this.#keptSteps)',
    replace: 'this.#steps - step >= 4 * this.#keptSteps)',
  },
  {
    id: 'KV-005',
    file: 'src/features/session/model.ts',
    find: 'LockDelay: session.lockDelayNs',
    replace: 'LockDelay: session.lockDelayNs / 1e6',
  },
  {
    id: 'KV-006',
    file: 'src/features/session/endpoint.ts',
    find: 'value: [...allSessions(tx)]',
    replace: "value: [...allSessions(tx)].filter(({ ttl }) => ttl !== '')",
  },
  {
    id: 'KV-007',
    file: 'src/features/session/endpoint.ts',
    find: 'value: [...sessionsOfNode(tx, node)]',
    replace: 'value: [...allSessions(tx)]',
  },
  {
    id: 'KV-008',
    file: 'src/features/kv/writes.ts',
    find: 'return BigInt(tx.get(kvTable, key)?.modifyIndex ?? 0) === index',
    replace: 'return BigInt(tx.get(kvTable, key)?.modifyIndex ?? 0) <= index',
  },
  {
    id: 'KV-009',
    file: 'src/features/session/commands.ts',
    find: '  onEvent(checkBecameCritical, endSessionsOfCheck),\n',
    replace: '',
  },
]
