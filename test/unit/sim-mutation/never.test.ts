import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { type MutationBuild, mutationBuild } from '../../../sim/mutation/build.ts'
import type { RunLine } from '../../../sim/mutation/lines.ts'
import { neverIn, neverTable } from '../../../sim/mutation/never.ts'
import { rangesText } from '../../../sim/mutation/ranges.ts'
import { createPlatform } from '../../../sim/platform/platform.ts'

/** A program of one module, `src/a.js`. */
function built(text: string): MutationBuild {
  const platform = createPlatform()
  const workshop = { names: () => ['src/a.js'], read: () => text, sourcePlaces: () => undefined }
  const build = mutationBuild({ ts, workshop, rooms: ['src'], sha256: platform.sha256 })
  platform.close()
  if (!build.ok) throw new Error(build.error)
  return build.value
}

/** What a run reports that calls the module's function `f` with these arguments. */
function runOf({ texts, sites }: MutationBuild, calls: readonly (readonly unknown[])[], isSound = true): RunLine {
  const module = [texts.get('mutation-switch.js'), texts.get('src/a.js')].join('\n')
  const body = module.replace(/^import .*? from '.*?'; /m, '').replaceAll('export ', '')
  const { f, reached } = new Function(`${body}; return { f, reached: $h }`)() as {
    readonly f: (...given: readonly unknown[]) => unknown
    readonly reached: Uint8Array
  }
  expect(reached).toHaveLength(sites)
  for (const given of calls) f(...given)
  const of = { kind: 'run', judge: 'a.yaml', page: 'ab', seed: 1, trace: 'a', cpuMs: 1 } as const
  return { ...of, isSound, reached: rangesText(reached), loaded: '' }
}

function neverOf(text: string, ...runs: readonly (readonly (readonly unknown[])[])[]): readonly string[] {
  const build = built(text)
  const [room] = neverIn(
    build,
    runs.map((calls) => runOf(build, calls)),
  )
  return room?.never.map(({ place, fate, text, more }) => [place.slice(9), fate, text, more].join(' ')) ?? []
}

describe('what no run does', () => {
  const early =
    'export function f(a, b) {\n if (a) {\n g(1)\n return b\n }\n return 0\n}\nfunction g(n) {\n return n > 1\n}'

  it('is a place that is not reached, with those that follow it', () => {
    expect(neverOf(early, [[0, 1]])).toEqual([
      '2:6 never true a 0',
      '3:2 never reached g(1) 2',
      '9:9 never reached n > 1 1',
    ])
  })

  it('is counted over all runs that passed', () => {
    const build = built(early)
    const runs = [runOf(build, [[0, 1]]), runOf(build, [[1, 1]], false)]
    expect(neverIn(build, runs)[0]?.never).toHaveLength(3)
    const whole = neverIn(build, [...runs, runOf(build, [[1, 1]])])
    expect(whole[0]?.never.map(({ fate, text }) => `${fate} ${text}`)).toEqual(['never true n > 1'])
    expect(neverTable(whole)[2]).toMatch(/^\| src +\| +7 \| +7 \| +100 % \| +6 \| +5 \| +83 % \|$/)
  })

  it.each<[string, readonly (readonly unknown[])[], readonly string[]]>([
    ['if (a && b) return 1', [[0, 1]], ['never true a']],
    ['if (a && b) return 1', [[1, 0]], ['never true a && b', 'never false a']],
    ['if (a && b) return 1', [[1, 1]], ['never false a && b']],
    ['if (a || b) return 1', [[0, 0]], ['never true a || b']],
    ['if (a || b) return 1', [[1, 0]], ['never false a']],
    ['return a ?? b', [[1, 0]], ['never absent a']],
    ['return a < b', [[1, 5]], ['never equal a < b', 'never false a < b']],
    ['return a < b', [[1, 1]], ['never true a < b']],
  ])('of %s after %j is %j', (statement, calls, never) => {
    const text = `export function f(a, b) { ${statement} }`
    const ofValues = neverOf(text, calls).filter((one) => !one.includes('reached'))
    expect(ofValues.map((one) => one.replace(/^\S+ (.*) 0$/, '$1'))).toEqual(never)
  })
})
