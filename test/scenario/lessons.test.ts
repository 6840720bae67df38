import { beforeAll, describe, expect, it } from 'vitest'
import { oneJob, svcSimRun, type Told } from './svc-sim.ts'

/** The two stories that matter most have more seeds than the first, which every scenario runs. */
const lessons = ['acl-migration', 'ca-rotation']
const isLong = process.env['SVC_TEST_LONG'] === '1'
const lastSeed = isLong ? 500 : 2

describe('the paths on which no reader may be lost', () => {
  let told: readonly Promise<Told>[]
  beforeAll(() => {
    const paths = lessons.map((name) => `scenarios/${name}.yaml`)
    told = svcSimRun(paths, ['--seeds', `2..${lastSeed}`, ...(isLong ? ['--verify'] : []), ...oneJob])
  })

  const timeout = isLong ? 4 * 3_600_000 : 600_000
  it.each(lessons.map((name, at) => [name, at] as const))(
    `%s passes with every seed from 2 to ${lastSeed}`,
    { timeout },
    async (_, at) => {
      const lesson = await told[at]
      expect(lesson?.summary, lesson?.said).toMatch(new RegExp(`: all ${lastSeed - 1} seeds passed$`))
    },
  )
})
