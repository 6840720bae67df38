import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/load.ts'
import { problemText } from '../../../src/config/problem.ts'
import { createHostEnv } from '../../../src/host/env.ts'
import { newestRelease } from '../../../src/model/release.ts'

const dev = '-dev keeps nothing on disk and is not for production.'
const env = createHostEnv({ logSink: () => undefined, logLevel: 'error' })

/** What an agent is to run as with this flag, what is said before it starts, and what is wrong. */
async function started(release?: string) {
  const flags = new Map<string, boolean | string>([
    ['dev', true],
    ...(release === undefined ? [] : [['release', release] as const]),
  ])
  const loaded = await loadConfig(env, flags)
  if (!loaded.ok) return loaded.error.map(problemText)
  return { release: loaded.value.config.release, warnings: loaded.value.warnings }
}

describe('-release', () => {
  it('says what an agent is to run as, and the agent says so before it starts', async () => {
    expect(await started('0.9.3')).toEqual({
      release: { major: 0, minor: 9, patch: 3 },
      warnings: ['runs as release 0.9.3, to learn or to rehearse: production runs the newest', dev],
    })
  })

  it('is the newest where nothing is said', async () => {
    expect(await started()).toEqual({ release: newestRelease, warnings: [dev] })
    expect(await started('1.4.0')).toEqual({ release: newestRelease, warnings: [dev] })
  })

  it.each(['0.1.9', '1.4.1', '1.0', 'new'])('refuses %s in one line that says what there is', async (release) => {
    const problem = `-release: there is no release "${release}": write one from 0.2.0 to 1.4.0, with three numbers`
    expect(await started(release)).toEqual([problem])
  })
})
