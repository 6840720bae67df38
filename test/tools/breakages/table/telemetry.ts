import type { Breakage } from '../breakage.ts'

/** Metrics: their names, and where they go. */
export const telemetryBreakages: readonly Breakage[] = [
  {
    id: 'TEL-001',
    file: 'src/agent/settings/default-config.ts',
    find: 'prefix: naming.name,',
    replace: "prefix: '',",
  },
  {
    id: 'TEL-002',
    file: 'src/agent/telemetry/telemetry.ts',
    find: "if (names === 'single' || !doubled.test(name))",
    replace: 'if (!doubled.test(name))',
  },
  {
    id: 'TEL-003',
    file: 'src/features/txn/endpoint.ts',
    find: "measured(server, 'txn.apply',",
    replace: "measured(server, 'svc.txn.apply',",
  },
  {
    id: 'TEL-004',
    file: 'src/agent/telemetry/telemetry.ts',
    find: "return names === 'both' ? [name, old] : [old]",
    replace: 'return [old]',
  },
  {
    id: 'TEL-005',
    file: 'src/config/parts/telemetry.ts',
    find: "deprecatedMetricNames === true ? 'both' : 'single'",
    replace: "deprecatedMetricNames === false ? 'single' : 'both'",
  },
  {
    id: 'TEL-006',
    file: 'src/agent/telemetry/telemetry.ts',
    find: 'sink.gauge(full, value, labels)',
    replace: 'sink.gauge(named, value, labels)',
  },
  {
    id: 'TEL-007',
    file: 'src/dns/catalog-reads.ts',
    find: 'const staleCountedMs = 5_000',
    replace: 'const staleCountedMs = 50_000',
  },
  {
    id: 'TEL-008',
    file: 'src/features/agent/metrics-json.ts',
    find: 'Rate: finite(sum / (metricsIntervalMs / 1000)),',
    replace: 'Rate: finite(count / (metricsIntervalMs / 1000)),',
  },
  {
    id: 'TEL-009',
    file: 'src/agent/telemetry/telemetry.ts',
    find: 'const dog = { tags: dogstatsdTags,',
    replace: 'const dog = { tags: [],',
  },
]
