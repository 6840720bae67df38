import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, expect } from 'vitest'
import { rangesText } from '../../sim/mutation/ranges.ts'

/**
 * With `svc-sim mutate --tests`: which places of the instrumented program each file of tests reaches. Files that share a
 * worker share its modules, so what is counted begins anew with each file; what a module does when it is loaded counts
 * for the first file that imports it.
 */
const switchOf = (): { readonly reached: Uint8Array } | undefined =>
  Reflect.get(globalThis, Symbol.for('svc-sim.mutation'))

switchOf()?.reached.fill(0)

afterAll(() => {
  const { testPath } = expect.getState()
  const folder = process.env['SVC_TEST_REACHED']
  if (testPath === undefined || folder === undefined)
    throw new Error('no file of tests, or no folder for what it reaches')
  const file = relative(process.cwd(), testPath)
  const reached = rangesText(switchOf()?.reached ?? new Uint8Array())
  const name = createHash('sha256').update(file).digest('hex').slice(0, 16)
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ file, reached }))
})
