import type { Breakage } from '../breakage.ts'

/** Limits and figures. */
export const limitBreakages: readonly Breakage[] = [
  {
    id: 'LIM-001',
    file: 'src/config/rules.ts',
    find: 'if (expect > 7) warnings',
    replace: 'if (expect > 70) warnings',
  },
  {
    id: 'LIM-003',
    file: 'src/agent/settings/gossip-timing.ts',
    find: 'reconnectTimeoutMs: 72 * 3_600_000',
    replace: 'reconnectTimeoutMs: 24 * 3_600_000',
  },
  {
    id: 'LIM-004',
    file: 'src/model/release.ts',
    find: 'return { threshold: 8_192, intervalMs: 5_000 }',
    replace: 'return { threshold: 8_192, intervalMs: 30_000 }',
  },
  {
    id: 'LIM-005',
    file: 'src/model/release.ts',
    find: "has('dns-however-old') ? 87_600 * 3_600_000",
    replace: "has('dns-however-old') ? 87_600 * 3_600",
  },
  {
    id: 'LIM-006',
    file: 'src/dns/catalog-reads.ts',
    find: 'ageOf(meta) > staleCountedMs &&',
    replace: 'ageOf(meta) >= staleCountedMs &&',
  },
  {
    id: 'LIM-007',
    file: 'src/model/limits.ts',
    find: 'tombstoneTtlMs = 15 * 60_000',
    replace: 'tombstoneTtlMs = 10 * 60_000',
  },
  {
    id: 'LIM-009',
    file: 'src/features/kv/commands.ts',
    find: 'setKey(tx, body)\n    return true\n  },\n}\n\ninterface PutCasBody',
    replace:
      ';((globalThis as { past?: unknown[] }).past ??= []).push(setKey(tx, body))\n    return true\n  },\n}\n\ninterface PutCasBody',
  },
  {
    id: 'LIM-010',
    file: 'src/agent/pool/discovery/request.ts',
    find: "if (text[from] === '\"') return readQuoted(text, from + 1)",
    replace: '',
  },
  {
    id: 'LIM-011',
    file: 'src/agent/requests/asking/client-target.ts',
    find: '    this.#tokens -= 1\n',
    replace: '',
  },
  {
    id: 'LIM-012',
    file: 'src/model/release.ts',
    find: 'return { threshold: 16_384, intervalMs: 30_000 }',
    replace: 'return { threshold: 16_384, intervalMs: 60_000 }',
  },
  {
    id: 'LIM-013',
    file: 'src/model/limits.ts',
    find: 'transactionOperationsMax = 64',
    replace: 'transactionOperationsMax = 128',
  },
]
