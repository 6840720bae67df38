import { describe, expect, it } from 'vitest'
import { oneJob, scenarioFile, svcSim } from './svc-sim.ts'

const three = `scenario: Three servers
cluster:
  dc1:
    servers: { count: 3, restart after: 1s }
    config: { performance: { raft_multiplier: 1 } }
steps:
  - step: the servers meet and elect a leader
    eventually: { within: 20s, leader: exactly one }
  - step: they get to work
    wait: 2s
`

describe('the limit on destroyed data', () => {
  it('lets one of three machines be lost, which is replaced, and refuses a second one meanwhile', async () => {
    const file = scenarioFile(`${three}  - step: two machines are lost
    wipe: s1, s2
  - step: only one of them was
    expect: { stopped: s1, running: s2 }
  - step: its replacement starts
    restart: s1
`)
    const { exit, out } = await svcSim(['run', file])
    expect(out).toMatch(/! wipe s1$/m)
    expect(exit).toBe(0)
  })

  it('fails a step that would destroy too much', async () => {
    const file = scenarioFile(`${three}  - step: one machine is lost
    wipe: s1
  - step: another one is lost
    wipe: s2
`)
    const { exit, out } = await svcSim(['run', file])
    expect(exit).toBe(1)
    expect(out).toContain('cannot be done: wipe: without s2 too few servers would remain')
  })

  it('is lifted only where the scenario says so', async () => {
    const file = scenarioFile(`${three}  - step: two machines are lost
    wipe: s1, s2
excuses: { majority lost: true }
quiet: { within: 10s }
`)
    const { exit, out } = await svcSim(['run', file])
    expect(out).toMatch(/! wipe s1 s2$/m)
    // The rest of three is no majority: no server leads again.
    expect(exit).toBe(1)
    expect(out).toContain('no server leads')
  })
})

describe('a core that is healed first', () => {
  it('serves while the rest stays broken, and then everything comes to rest', async () => {
    const file = scenarioFile(`${three}  - step: all lose each other
    partition: { groups: [s1, s2, s3] }
  - step: and nobody leads
    eventually: { within: 20s, leader: none }
quiet: { within: 60s, core first: true }
`)
    const { exit, out } = await svcSim(['run', file])
    expect(out).toMatch(
      /\* quiet: faults stop, and s[12] s[23] are repaired; other faults stay\n(.*\n)*?.* s[123] leads\n/,
    )
    expect(exit).toBe(0)
  })
})

describe('a campaign', () => {
  const marked = (seeds: number): string => `${three}demands: { marks: { two leaders alive: 1 of ${seeds} seeds } }\n`

  it('fails when none of its seeds reached a state that it must reach', async () => {
    const file = scenarioFile(marked(2))
    const { exit, out } = await svcSim(['run', file, '--seeds', '1..2', ...oneJob])
    expect(out).toMatch(/^Three servers: all 2 seeds passed, 1 demand not met$/m)
    const missed = "demands 'two leaders alive' in at least 1 of 2 seeds: reached in 0 of 2"
    expect(out).toMatch(new RegExp(`^${file}:\\d+:21: ${missed} `, 'm'))
    expect(out).toMatch(/^marks in 2 seeds: (.*, )?two leaders alive 0\b/m)
    expect(exit).toBe(1)
  })

  it('fails a run that judged less, or reached less, than each must', async () => {
    const file = scenarioFile(`${three}demands: { judged: { K1: 1000000 }, marks: { rot found: every run } }\n`)
    const { exit, out } = await svcSim(['run', file])
    expect(out).toMatch(/^FAILED: Three servers, seed 1$/m)
    expect(out).toMatch(
      new RegExp(`${file}:\\d+:22: demands that K1 judges at least 1000000 in each run: it judged \\d+ `),
    )
    expect(out).toMatch(new RegExp(`${file}:\\d+:\\d+: demands 'rot found' in every run: it was not reached `))
    expect(exit).toBe(1)
    const without = await svcSim(['run', file, '--no-demands'])
    expect(without.exit).toBe(0)
  })

  it('owes nothing to a state that is rarer than its seeds are many', async () => {
    const { exit } = await svcSim(['run', scenarioFile(marked(3)), '--seeds', '1..2', ...oneJob])
    expect(exit).toBe(0)
  })
})

/** Seeds beyond those that every scenario runs: as many as `npm test` has time for, or enough to trust. */
const lastSeed = process.env['SVC_TEST_LONG'] === '1' ? 2000 : 2
const longMs = process.env['SVC_TEST_LONG'] === '1' ? 4 * 3_600_000 : 300_000

describe('the campaign on consensus', () => {
  it(`[RFT-028] chaos-raft passes with every seed from 2 to ${lastSeed}`, { timeout: longMs }, async () => {
    const { exit, out, err } = await svcSim([
      'run',
      'scenarios/chaos-raft.yaml',
      '--seeds',
      `2..${lastSeed}`,
      ...oneJob,
    ])
    expect(`${out}${err}`).toContain(`all ${lastSeed - 1} seeds passed`)
    expect(exit).toBe(0)
  })
})
