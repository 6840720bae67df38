import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { invariants } from '../../sim/checkers/checkers.ts'
import { seedRecordSchema } from '../../sim/report/seed-record.ts'
import { oneJob, projectRoot, svcSimRun, type Told } from './svc-sim.ts'

const isLong = process.env['SVC_TEST_LONG'] === '1'
/**
 * Seeds of each scenario: enough to notice, or as many as one night has time for. Campaigns try hundreds
 * (docs/campaigns.md).
 */
const seeds = isLong ? 20 : 1

/**
 * These run twice, for equal traces: every kind of section, step, condition, fault and operation that any page has is in
 * one of them. Each run shows the same of another mixture of these kinds, so all others do that where there is time.
 */
const repeated: readonly string[] = [
  'acl-edited-while-replicated.yaml',
  'at-one-moment.yaml',
  'ca-bootstrap.yaml',
  'ca-cached-leaves.yaml',
  'ca-federation-window.yaml',
  'ca-old-root-removed-last.yaml',
  'ca-rotation-to-external-provider.yaml',
  'chaos-raft.yaml',
  'damaged-log.yaml',
  'datagrams-blocked.yaml',
  'disk-full.yaml',
  'events-of-few-rights.yaml',
  'everything.yaml',
  'external-provider-sealed-at-election.yaml',
  'leader-process-dies.yaml',
  'mistakes-are-refused.yaml',
  'names-in-an-outage.yaml',
  'rebuilt-servers.yaml',
  'reload-under-watch.yaml',
  'rolling-restart-of-clients.yaml',
  'service-everywhere.yaml',
  'sick-web-server.yaml',
  'slow-disk-leader.yaml',
  'slow-node-accuses-others.yaml',
  'upgrade-0.6-to-0.8-raft-protocol.yaml',
  'writes-across-datacenters.yaml',
]

/** What a scenario shows, by its expectations or by what is checked in every run. */
const shows: Readonly<Record<string, string>> = {
  'acl-migration.yaml': '[ACL-027] [ACL-029] [ACL-031] [ACL-034] [ACL-036] [ACL-039] [UPG-002]',
  'acl-rules-0.5-0.6.yaml': '[ACL-014] [ACL-015] [ACL-016] [ACL-019] [UPG-020] [UPG-040]',
  'acl-bootstrap-new-cluster.yaml': '[ACL-028] [ACL-029] [ACL-033] [ACL-040]',
  'acl-on-agents.yaml': '[ACL-020] [ACL-022]',
  'acl-allow-and-deny-0.4-0.8.yaml': '[ACL-013] [ACL-021] [UPG-029] [UPG-041] [UPG-047]',
  'acl-two-datacenters-any-order.yaml': '[ACL-041] [UPG-005]',
  'upgrade-to-1.4-any-order-of-datacenters.yaml': '[ACL-041] [UPG-005]',
  'anti-entropy.yaml': '[REG-012] [REG-024]',
  'autopilot-needs-protocol-3.yaml': '[RFT-009] [RFT-011]',
  'autopilot-replaces-servers.yaml': '[RFT-031]',
  'ca-bootstrap.yaml': '[CA-004] [CA-007] [CA-009] [CA-010] [CA-011] [CA-012] [CA-014]',
  'ca-federation-any-order.yaml': '[FED-001] [FED-003] [FED-004] [FED-007] [FED-008] [FED-009] [UPG-003]',
  'ca-federation-off.yaml': '[FED-002]',
  'ca-federation-root-rotation.yaml': '[FED-006] [FED-010] [FED-011] [LIM-008]',
  'ca-federation-window.yaml': '[FED-012]',
  'ca-old-root-removed-last.yaml': '[CA-017] [CA-024]',
  'ca-rotation.yaml':
    '[CA-015] [CA-019] [CA-020] [CA-022] [CA-023] [CA-024] [CA-025] [CA-027] [CA-028] [CA-029] [CA-030] [CA-044]',
  'ca-three-rotations-in-one-leaf-life.yaml': '[CA-023] [CA-025] [CA-026]',
  'ca-two-datacenters.yaml': '[FED-001] [FED-003] [FED-004] [FED-005]',
  'dns-follows-health.yaml': '[DNS-005]',
  'dns-stale-outage.yaml': '[DNS-013] [DNS-015]',
  'downgrade-refused.yaml': '[MEM-025] [UPG-004]',
  'failover-0.6-and-0.7.yaml': '[UPG-034]',
  'peers-json-by-address.yaml': '[RFT-013] [RFT-015] [UPG-039]',
  'raft-protocols-apart.yaml': '[MEM-020] [RFT-012]',
  'reap-after-72h.yaml': '[LIM-003] [MEM-017]',
  'reload-under-watch.yaml': '[AGT-028] [AGT-029] [REG-020]',
  'replace-servers-1.0-and-1.0.1.yaml': '[RFT-029] [RFT-030] [UPG-012]',
  'service-everywhere.yaml':
    '[AGT-002] [AGT-006] [AGT-022] [MEM-005] [MEM-009] [MEM-010] [MEM-012] [MEM-013] [MEM-014] [MEM-016] [REG-003]',
  'sick-web-server.yaml': '[AGT-007] [DNS-005] [HLT-008]',
  'snapshots-of-1-0-1.yaml': '[RFT-018]',
  'tokens-and-mesh-of-1.3.yaml': '[UPG-059]',
  'two-halves-heal.yaml': '[MEM-002] [MEM-003] [MEM-015] [MEM-016]',
  'unknown-command.yaml': '[AGT-034] [AGT-035]',
  'upgrade-0.2-to-0.7-protocol.yaml': '[MEM-023] [MEM-024] [UPG-036]',
  'upgrade-0.4-to-0.5-tombstones.yaml': '[LIM-007] [RFT-024] [RFT-027] [UPG-048]',
  'upgrade-0.4-to-0.5-safe-orders.yaml': '[RFT-025] [RFT-026] [UPG-048]',
  'upgrade-0.5-to-0.6-queries.yaml': '[CAT-037] [UPG-042]',
  'upgrade-0.5-to-0.6-storage.yaml': '[RFT-022] [RFT-023] [UPG-043] [UPG-046]',
  'upgrade-0.6-to-0.8-raft-protocol.yaml': '[RFT-008]',
  'upgrade-0.7-to-0.8-leader-first-and-last.yaml': '[UPG-027]',
  'upgrade-0.6-to-0.7-addresses.yaml': '[HTP-010] [UPG-038]',
  'upgrade-0.6-to-0.7-near.yaml': '[CAT-039] [UPG-037]',
  'upgrade-0.9-to-1.0-options.yaml': '[UPG-015] [UPG-019] [UPG-024] [UPG-025]',
  'upgrade-1.0.6-to-1.0.7-index.yaml': '[CAT-024] [HTP-006] [UPG-011]',
  'upgrade-1.2-to-1.3-tag-filter.yaml': '[CAT-025] [CAT-026] [CAT-027] [DNS-018] [UPG-007] [UPG-058]',
  'upgrade-single-server-raft3.yaml': '[RFT-016] [RFT-017] [UPG-013]',
  'wan-of-three-datacenters.yaml': '[MEM-026]',
}

/** Only the scenarios that show this statement, if one is selected (`test/tools/breakages`); otherwise all. */
const asked = process.env['SVC_TEST_REQUIREMENT']

const files = readdirSync(join(projectRoot, 'scenarios')).filter(
  (name) => name.endsWith('.yaml') && (asked === undefined || shows[name]?.includes(`[${asked}]`)),
)

const once = isLong ? [] : files.filter((name) => !repeated.includes(name))
const twice = files.filter((name) => !once.includes(name))

/** Hunts in which alone some invariants are judged. */
const hunts = (
  asked === undefined ? ['agents-are-watched', 'checks-stand-for-others', 'disks-fail', 'recursors-fail'] : []
).map((name) => `hunts/${name}.yaml`)

interface Page {
  readonly steps?: readonly Readonly<Record<string, unknown>>[]
  readonly faults?: readonly { readonly do?: readonly object[] }[]
  readonly workload?: Readonly<Record<string, { readonly operations?: readonly string[] }>>
}

/** Kinds of what a page is made of: its sections, steps, conditions, faults and operations of its clients. */
function partsOf(name: string): readonly string[] {
  const page = parse(readFileSync(join(projectRoot, 'scenarios', name), 'utf8'), { merge: true }) as Page
  const kindsIn = (kind: string, of: unknown): readonly string[] =>
    typeof of === 'object' && of !== null ? Object.keys(of).map((key) => `${kind} ${key}`) : []
  return [
    ...kindsIn('section', page),
    ...(page.steps ?? []).flatMap((step) => [
      ...kindsIn('step', step),
      ...['expect', 'eventually', 'until'].flatMap((key) => kindsIn('condition', step[key])),
    ]),
    ...(page.faults ?? []).flatMap((rule) => [
      ...kindsIn('rule', rule),
      ...(rule.do ?? []).flatMap((action) => kindsIn('fault', action)),
    ]),
    ...Object.values(page.workload ?? {}).flatMap(({ operations = [] }) => operations),
  ]
}

/** A command of one worker for each group, side by side; another test looks at what the runs judged. */
export function tellAll(): void {
  let folder: string
  let told: ReadonlyMap<string, Promise<Told>>
  const tell = (names: readonly string[], ...flags: readonly string[]): readonly [string, Promise<Told>][] => {
    if (names.length === 0) return []
    const paths = names.map((name) => `scenarios/${name}`)
    const all = svcSimRun(paths, ['--seeds', `1..${seeds}`, ...oneJob, ...flags])
    return names.map((name, at) => [name, all[at] as Promise<Told>])
  }
  const records = (group: string): string => join(folder, `${group}.jsonl`)
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-scenarios-'))
    told = new Map([
      ...tell(twice, '--verify', '--jsonl', records('twice')),
      ...tell([...once, ...hunts], '--jsonl', records('once')),
    ])
    return () => rmSync(folder, { recursive: true, force: true })
  })
  const cases = (names: readonly string[]) =>
    names.map((name) => [[shows[name], `scenarios/${name}`].filter(Boolean).join(' '), name] as const)
  it.each(cases(twice))('%s passes with every seed, twice with equal traces', async (_, name) => {
    const scenario = await told.get(name)
    expect(scenario?.summary, scenario?.said).toMatch(new RegExp(`: all ${seeds} seeds passed$`))
    expect(scenario?.seeds.filter((line) => line.includes('passed twice'))).toHaveLength(seeds)
  })
  it.each(cases([...once, ...hunts]))('%s passes with every seed', async (_, name) => {
    const scenario = await told.get(name)
    expect(scenario?.summary, scenario?.said).toMatch(new RegExp(`: all ${seeds} seeds passed$`))
  })
  it.runIf(asked === undefined)('every invariant is judged in one scenario or another', async () => {
    await Promise.all(told.values())
    const written = [twice, [...once, ...hunts]].flatMap((names, at) =>
      names.length > 0 ? [['twice', 'once'][at] as string] : [],
    )
    // What a command says of its last page may come before the last lines of its file.
    await vi.waitFor(() => {
      const lines = written.flatMap((group) => readFileSync(records(group), 'utf8').trimEnd().split('\n'))
      const counts = lines.map((line) => seedRecordSchema.parse(JSON.parse(line)).counts)
      const judged = counts.flatMap((each) =>
        Object.entries(each).flatMap(([code, { facts }]) => (facts > 0 ? [code] : [])),
      )
      expect([...new Set(judged)].sort()).toEqual(Object.keys(invariants).sort())
    }, 10_000)
  })
  it.runIf(asked === undefined)('what runs once is made of what others run twice', () => {
    const others = new Set(twice.flatMap(partsOf))
    for (const name of once)
      expect(
        partsOf(name).filter((part) => !others.has(part)),
        name,
      ).toEqual([])
  })
}
