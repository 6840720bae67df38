import { beforeAll, describe, expect, it } from 'vitest'
import { svcSimRun, type Told } from './svc-sim.ts'

/** Where there is time, the two stories that matter most have more seeds than all others (`stories.ts`). */
const lessons = ['acl-migration', 'ca-rotation']
const isLong = process.env['SVC_TEST_LONG'] === '1'
const lastSeed = 500

describe.runIf(isLong)('the paths on which no reader may be lost', () => {
  let told: readonly Promise<Told>[]
  beforeAll(() => {
    const paths = lessons.map((name) => `scenarios/${name}.yaml`)
    told = svcSimRun(paths, ['--seeds', `2..${lastSeed}`, '--verify'])
  })

  const timeout = 4 * 3_600_000
  it.each(lessons.map((name, at) => [name, at] as const))(
    `%s passes with every seed from 2 to ${lastSeed}`,
    { timeout },
    async (_, at) => {
      const lesson = await told[at]
      expect(lesson?.summary, lesson?.said).toMatch(new RegExp(`: all ${lastSeed - 1} seeds passed$`))
    },
  )
})
