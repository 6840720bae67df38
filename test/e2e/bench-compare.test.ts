import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const rows = fileURLToPath(new URL('../../bench/rows.mjs', import.meta.url))
const compare = new URL('../../bench/compare.mjs', import.meta.url).href

function bench(...words: readonly string[]): { readonly exit: number | null; readonly out: string } {
  const { status, stdout } = spawnSync(process.execPath, [rows, ...words], { encoding: 'utf8' })
  return { exit: status, out: stdout }
}

it('a comparison of builds says what it was not told, before it measures anything', () => {
  expect(bench()).toMatchObject({ exit: 2, out: expect.stringMatching(/^usage: npm run bench -- ROW/) })
  expect(bench('--compare')).toMatchObject({ exit: 2, out: expect.stringMatching(/^usage/) })
  expect(bench('--compare', 'HEAD', 'nothing')).toMatchObject({
    exit: 2,
    out: expect.stringMatching(/^nothing: there is no such row\nusage/),
  })
  // An installed package has no commits, and says that instead.
  expect(bench('--compare', 'no-such-commit')).toMatchObject({
    exit: 2,
    out: expect.stringMatching(/^(no-such-commit: there is no such commit in this checkout|this is no checkout)/),
  })
})

it('a figure has become worse, or better, only if every round says so, and the median by a tenth', () => {
  const cases = [
    ['p50 ms', [1.2, 1.05, 1.3]],
    ['p50 ms', [1.2, 0.99, 1.3]],
    ['p50 ms', [1.05, 1.02, 1.08]],
    ['per s', [0.8, 0.7, 0.95]],
    ['per s', [1.2, 1.3, 1.25]],
    ['CPU µs', [0.8, 0.7, 0.95]],
  ] as const
  const script = `import { verdictOf } from '${compare}'
    console.log(JSON.stringify(${JSON.stringify(cases)}.map(([column, ratios]) => verdictOf(column, ratios))))`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(JSON.parse(stdout)).toEqual(['WORSE', '', '', 'WORSE', 'better', 'better'])
})
