import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { seedRecordSchema } from '../../sim/report/seed-record.ts'
import { type PlanOrder, planUpgrade } from '../../sim/upgrades/plan.ts'
import { rehearsalText } from '../../sim/upgrades/rehearsal.ts'
import { parseRelease, type Release, releaseText } from '../../src/model/release.ts'
import { everyPair } from '../tools/every-release.ts'
import { oneJob, projectRoot, svcSim } from './svc-sim.ts'

const usual = { servers: 3, clients: 2, datacenters: ['dc1'], accessControl: false, through: 'needed' } as const

function release(text: string): Release {
  const parsed = parseRelease(text)
  if (parsed === undefined) throw new Error(`${text} is no release`)
  return parsed
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'svc-sim-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

function rehearsalFile(order: PlanOrder): string {
  const plan = planUpgrade(order)
  if (!plan.ok) throw new Error(plan.error)
  const file = join(folder(), `${releaseText(order.from)}-${releaseText(order.to)}.yaml`)
  writeFileSync(file, rehearsalText(plan.value, 'svc-sim plan'))
  return file
}

/** What is special about an upgrade: two legs and all rounds of Raft protocols; one server; pairs; datacenters. */
const sample: readonly (readonly [from: string, to: string, rest: Partial<PlanOrder>])[] = [
  ['0.5.0', '1.4.0', {}],
  ['0.9.0', '1.0.0', { servers: 1, clients: 1 }],
  ['0.9.0', '1.0.0', { servers: 4, clients: 0 }],
  ['1.2.3', '1.4.0', { servers: 2, clients: 1, datacenters: ['dc1', 'dc2'] }],
]

describe('svc-sim plan', () => {
  it('writes scenarios that are green: a sample of upgrades', async () => {
    const files = sample.map(([from, to, rest]) =>
      rehearsalFile({ ...usual, ...rest, from: release(from), to: release(to) }),
    )
    const { exit, out } = await svcSim(['run', ...files, '--json', ...oneJob])
    expect(exit, out).toBe(0)
    const told = out
      .trim()
      .split('\n')
      .map((line) => seedRecordSchema.parse(JSON.parse(line)))
    expect(told).toHaveLength(sample.length)
    // Servers end as by an init system.
    for (const { marks } of told) expect(marks).toContain('ended by a signal')
  })

  it.runIf(process.env['SVC_TEST_LONG'] === '1')(
    'writes scenarios that are green, for every pair of releases',
    async () => {
      const files = everyPair().map(([from, to]) => rehearsalFile({ ...usual, from, to }))
      const { exit, out } = await svcSim(['run', ...files, '--quiet', ...oneJob])
      expect(exit, out).toBe(0)
      expect(out.match(/^From release.*: all 1 seeds passed$/gm)).toHaveLength(files.length)
    },
  )

  it('does what the page of upgrades shows, command by command', async () => {
    const page = readFileSync(join(projectRoot, 'docs/upgrades.md'), 'utf8')
    const shown = [...page.matchAll(/^svc-sim (.+)$/gm)].map(([, args = '']) => args.split(' '))
    expect(shown.length).toBeGreaterThan(3)
    const cwd = folder()
    for (const args of shown) expect(await svcSim(args, { cwd }), args.join(' ')).toMatchObject({ exit: 0 })
    expect(existsSync(join(cwd, 'rehearsal.yaml'))).toBe(true)
  })
})
