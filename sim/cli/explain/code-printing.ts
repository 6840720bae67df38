import type { CodePlace } from '../../explain/code-places.ts'
import type { MutationWorkshop, NamedMutant } from '../../mutation/build.ts'
import type { ChangesReport } from './changes.ts'
import type { CodeReport } from './code.ts'
import { cut, runsText } from './printing.ts'

/** Maximum number of code places that are shown. */
const placesMax = 10

/** Code that only failing runs executed, or that first ran just before the failure. */
export function codeLines({ places, failing, passing }: CodeReport, workshop: MutationWorkshop): readonly string[] {
  const compared = `${failing} failing, ${passing} passing`
  if (places.length === 0) return [`No code of the agent tells failing runs from others (${compared}).`]
  const shown = places.slice(0, placesMax).map((place) => {
    const { isOfFailures, isLate } = place
    const why = isOfFailures
      ? isLate
        ? 'failing runs only, just before'
        : 'failing runs only'
      : 'first ran just before'
    return `  ${why.padEnd(31)} ${placeText(place, workshop)}`
  })
  const more = places.length > placesMax ? [`  … and ${places.length - placesMax} more places`] : []
  return [`Code of the agent that tells failing runs from others (${compared} runs):`, ...shown, ...more]
}

/** The heading of each reason. */
const reasonWords = {
  cures: 'the run passes with a change here',
  nothing: 'it returned nothing before the failure',
  thrown: 'it threw, or what it called did',
  said: 'it has the text of what was reported',
  unsaid: 'it would have reported what is missed',
  last: 'nothing followed from it, and an answer is missing',
  near: 'ran near to the failure, or in few other runs',
} as const
const changeMax = 70
/** Maximum number of laws of which is said how much a run leaves undone. */
const undoneShown = 3

/** Functions that may be the cause, each with a change that makes the run pass. */
export function changesLines(report: ChangesReport): readonly string[] {
  const { suspects, tried, of, cured, compared, cpuMs } = report
  const cpu = `${(cpuMs / 1000).toFixed(1)} s of CPU time`
  const passing = cured === 0 ? 'none' : cured
  const heads = [
    ...(compared.passed + compared.failed === 0
      ? []
      : [`Code was compared with ${runsText(compared.passed)} that pass and ${compared.failed} more that fail.`]),
    `${tried} of ${of} changes of the code were tried, the likeliest first (${cpu}); with ${passing} of them the run passes.`,
    'Most suspect:',
  ]
  const lines = suspects.map((suspect, at) => {
    const { places, cures, undone, reason, of: within, text } = suspect
    const name = within === undefined ? '' : `  in ${within.name}`
    const [cure] = cures
    const words = text === undefined ? reasonWords[reason] : `${reasonWords[reason]}: "${oneLine(text)}"`
    const what = cure === undefined ? words : `passes with ${changeText(cure.mutant)}`
    const more = cures.length > 1 ? ` (and ${cures.length - 1} other changes)` : ''
    const less = undone.map(({ law, facts, before }) => `${facts} of ${before} facts of ${law}`)
    const idle = less.length === 0 ? '' : `; it then does less: ${less.slice(0, undoneShown).join(', ')}`
    return `  ${String(at + 1).padStart(2)}  ${lineOf(places[0] ?? '')}${name}: ${what}${more}${idle}`
  })
  return [...heads, ...lines.map(cut)]
}

function changeText({ operator, before, after }: NamedMutant): string {
  const [old, made] = [before, after].map((text) => oneLine(text))
  return after === '' ? `\`${old}\` left out` : `${operator}: \`${old}\` as \`${made}\``
}

function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length <= changeMax ? line : `${line.slice(0, changeMax - 1)}…`
}

/** The place without its column. */
function lineOf(place: string): string {
  return place.replace(/:\d+$/, '')
}

/** `src/raft/core/commit.ts:17-19  if (index > …) {` */
function placeText({ file, first, last }: CodePlace, { read, sourcePlaces }: MutationWorkshop): string {
  const text = read(file)?.split('\n')[first - 1] ?? ''
  const source = sourcePlaces(file)?.(first, text.search(/\S|$/))
  const end = sourcePlaces(file)?.(last, 1)
  const at = source === undefined ? `${file}:${first}` : `${file.replace(/[.]js$/, '.ts')}:${source.line}`
  const to = last === first ? '' : `-${source === undefined ? last : (end?.line ?? source.line + last - first)}`
  return cut(`${at}${to}  ${text.trim()}`)
}
