import type { Breakage } from '../breakage.ts'

/** Keys, sessions and locks. */
export const keyBreakages: readonly Breakage[] = [
  {
    id: 'KV-002',
    file: 'src/features/kv/routes.ts',
    find: "failure.kind === 'permission-denied' && !isTold ?",
    replace: "failure.kind === 'permission-denied' && isTold ?",
  },
]
