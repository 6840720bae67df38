import { type KeyOperation, operationText, valueText } from '../checkers/keys/key-history.ts'
import type { KeyVerdict, KeyViolation } from '../checkers/keys/key-verdict.ts'
import { drawnOperations, type Explanation, shownUntil } from './history-layout.ts'
import { historyPicture } from './history-picture.ts'
import type { JudgedHistory, JudgedKey } from './history-report.ts'
import { escaped } from './markup.ts'
import type { StillPage } from './still-page.ts'

/** Maximum number of pictures on one page, violations first; further keys show only their verdict. */
const picturesMax = 20

/** Shows a judged history; `name` is that of its file. Equal histories give equal pages. */
export function historyPage(name: string, history: JudgedHistory): StillPage {
  const { verdict, about, keys, law } = history
  // Keys that need attention come first.
  const sorted = [...keys].sort((a, b) => places[a.verdict.kind] - places[b.verdict.kind])
  const body = [
    `<h1>${escaped(name)}: <span class="${verdictClass(verdict)}">${verdict}</span></h1>`,
    ...(about === undefined ? [] : [`<p>${escaped(about)}</p>`]),
    ...(keys.length === 0 ? [] : [legend(law.staleDefaultUs)]),
    ...sorted.slice(0, picturesMax).map(section),
    ...rest(sorted.slice(picturesMax)),
  ]
  return { title: `${name}: ${verdict}`, body: body.join('\n') }
}

const places: Readonly<Record<KeyVerdict['kind'], number>> = { violation: 0, undecided: 1, linearizable: 2 }

function verdictClass(verdict: JudgedHistory['verdict']): string {
  return verdict === 'linearizable' ? 'good' : verdict === 'undecided' ? 'open-verdict' : 'bad'
}

/** The meaning of the shapes, each beside a small example. */
function legend(staleDefaultUs: number): string {
  const bar = (classes: string, shape = '<rect x="1" y="1" width="24" height="12" rx="3"/>'): string =>
    `<g class="${classes}">${shape}</g>`
  const open = bar('free open', '<path d="M25 1H1V13H25"/>')
  const entries: readonly (readonly [shape: string, text: string])[] = [
    [bar('ordered'), 'in the order: the number is its place'],
    ['<circle class="effect" cx="13" cy="7" r="4"/>', 'where it takes effect; the line leads to the next one'],
    [bar('held odd'), 'what the key then holds'],
    [bar('blocked'), 'no order explains this answer'],
    [bar('ordered cause'), 'one of the few operations that already contradict each other'],
    [bar('free'), 'not in the order: it need not have taken effect, or is not judged'],
    [open, 'not answered by then: it may take effect at any later time, or never'],
  ]
  const items = entries.map(([shape, text]) => `<li><svg aria-hidden="true">${shape}</svg>${text}</li>`)
  const excuse =
    staleDefaultUs === 0
      ? ''
      : ` Reads of default consistency may be ${staleDefaultUs} us old: they count as if called that much earlier.`
  return `<p>A lane for each client, a bar from call to answer. Calls and answers stand at equal distances in their order;
the times are above, and in the tooltip of each bar.${excuse}</p>
<ul class="legend">${items.join('')}</ul>`
}

function section({ key, operations, verdict, cause }: JudgedKey): string {
  const explanation = explanationOf(verdict, cause)
  return [
    `<h2>Key ${escaped(`'${key}'`)}: ${verdictSpan(verdict)}</h2>`,
    ...(verdict.kind === 'violation' ? contradiction(verdict, cause) : []),
    `<p>${verdictText(verdict, operations.length)} ${notDrawn(operations, explanation)}</p>`,
    picture(operations, explanation),
    ...(verdict.kind === 'violation' ? [orderList(verdict)] : []),
  ].join('\n')
}

/** It may be wider than the screen, and is moved by keys. */
function picture(operations: readonly KeyOperation[], explanation: Explanation): string {
  return `<div class="picture" tabindex="0">${historyPicture(operations, explanation)}</div>`
}

function explanationOf(verdict: KeyVerdict, cause: readonly KeyOperation[]): Explanation {
  const order = verdict.kind === 'undecided' ? [] : verdict.order
  return { order, blocked: verdict.kind === 'violation' ? verdict.blocked : undefined, cause }
}

function verdictSpan({ kind }: KeyVerdict): string {
  const text = kind === 'violation' ? 'NOT linearizable' : kind
  return `<span class="${verdictClass(text)}">${text}</span>`
}

function verdictText(verdict: KeyVerdict, count: number): string {
  if (verdict.kind === 'linearizable') return `${count} operations: linearizable; the numbers show one order.`
  if (verdict.kind === 'undecided') return `${count} operations: undecided after ${verdict.steps} steps.`
  return [
    `Cannot be ordered: ${escaped(operationText(verdict.blocked))}.`,
    `What was answered before has an order, and the key then held ${escaped(valueText(verdict.held))}.`,
  ].join('\n')
}

/** The few operations that show that a key is not linearizable, in a picture of their own. */
function contradiction({ blocked }: KeyViolation, cause: readonly KeyOperation[]): readonly string[] {
  return [
    `<h3>The smallest contradiction: ${cause.length} operations that have no order among them</h3>`,
    picture(cause, { order: [], blocked, cause }),
    `<ul>${cause.map((one) => `<li>${escaped(operationText(one))}</li>`).join('')}</ul>`,
    '<h3>All operations, with an order of what was answered before</h3>',
  ]
}

function notDrawn(operations: readonly KeyOperation[], explanation: Explanation): string {
  const later = operations.filter(({ callUs }) => callUs > shownUntil(explanation)).length
  const earlier = operations.length - later - drawnOperations(operations, explanation).length
  if (earlier + later === 0) return 'Every operation is drawn.'
  return `Of ${operations.length} operations ${earlier} of the earliest and ${later} called later are not drawn.`
}

/** The end of the order, which led to the key's value. */
function orderList({ order }: KeyViolation): string {
  const first = Math.max(0, order.length - 50)
  const items = order.slice(first).map((one) => `<li>${escaped(operationText(one))}</li>`)
  return `<p>The order of what was answered before${first > 0 ? ', its end' : ''}:</p>\n<ol start="${first + 1}">${items.join('')}</ol>`
}

/** Keys without a picture. */
function rest(keys: readonly JudgedKey[]): readonly string[] {
  if (keys.length === 0) return []
  const items = keys.map(
    ({ key, operations, verdict }) =>
      `<li>${escaped(`'${key}'`)}, ${operations.length} operations: ${verdictSpan(verdict)}</li>`,
  )
  return ['<h2>Other keys (not drawn)</h2>', `<ul>${items.join('')}</ul>`]
}
