import { afterEach } from 'vitest'
import { createHostEnv, type HostEnv } from '../../../src/host/env.ts'

/** An Env whose log goes nowhere, closed when the test is over. */
export function quietEnv(lines: string[] = []): HostEnv {
  const env = createHostEnv({ logSink: (line) => lines.push(line), logLevel: 'trace' })
  opened.push(env)
  return env
}

const opened: HostEnv[] = []

afterEach(() => {
  for (const env of opened.splice(0)) env.close()
})
