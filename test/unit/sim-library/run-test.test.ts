import { describe, expect, it } from 'vitest'
import { FailedRun, runTest } from '../../../sim/library/run-test.ts'

const story = ['    1.000s   s1 leads', '    2.000s ! crash s1']

function cluster(onClose: () => Promise<void> = async () => undefined) {
  return { seed: 7, story: () => story, close: onClose }
}

describe('the failure of a test', () => {
  it('names the seed and shows the end of the story, in the error that the test threw', async () => {
    const thrown = new Error('the key is gone')
    const failed = runTest(
      async () => cluster(),
      false,
      () => Promise.reject(thrown),
    )
    await expect(failed).rejects.toBe(thrown)
    expect(thrown.message).toBe(
      ['the key is gone', 'seed 7; repeat it alone with: SVC_SIM_SEED=7', ...story].join('\n'),
    )
  })

  it.each([
    ['an aborted request', () => new DOMException('This operation was aborted', 'AbortError'), 'AbortError'],
    ['an error that is frozen', () => Object.freeze(new Error('the key is gone')), 'Error'],
  ])('is told of %s, too', async (_, thrown, name) => {
    const error = thrown()
    const failed: unknown = await runTest(
      async () => cluster(),
      false,
      () => Promise.reject(error),
    ).catch((cause: unknown) => cause)
    expect(failed).toSatisfy((cause) => cause === error || (cause as Error).cause === error)
    expect(String(failed)).toContain(name)
    expect(String(failed)).toMatch(/\nseed 7; repeat it alone with: SVC_SIM_SEED=7\n {4}1\.000s/)
    expect((failed as Error).stack).toContain('SVC_SIM_SEED=7')
  })

  it('shows the story once if the broken invariant shows it', async () => {
    const broken = new FailedRun(['seed 7: what must hold does not', 'the end of the story:', ...story].join('\n'))
    const failed = runTest(
      async () => cluster(() => Promise.reject(broken)),
      false,
      async () => undefined,
    )
    await expect(failed).rejects.toBe(broken)
    expect(broken.message.split(story.join('\n'))).toHaveLength(2)
    expect(broken.message).toMatch(/\nseed 7; repeat it alone with: SVC_SIM_SEED=7$/)
  })
})
