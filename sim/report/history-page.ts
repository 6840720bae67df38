import { type KeyOperation, operationText, valueText } from '../checkers/keys/key-history.ts'
import type { KeyVerdict, KeyViolation } from '../checkers/keys/key-verdict.ts'
import { drawnOperations, type Explanation, escaped, historyPicture, shownUntil } from './history-picture.ts'
import type { JudgedHistory, JudgedKey } from './history-report.ts'

/** Pictures on one page, of violations first; of further keys the verdict alone. */
const picturesMax = 20

const style = `
body { font: 14px/1.45 system-ui, sans-serif; margin: 2rem; color: #1b1f24; background: #fff; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
.bad { color: #b3261e; } .good { color: #1a6b32; } .open-verdict { color: #8a5a00; }
.picture { overflow-x: auto; border: 1px solid #d5d9de; }
svg text { font: 11px ui-monospace, monospace; fill: #1b1f24; pointer-events: none; }
svg .client { font-weight: 600; } svg .time { fill: #667; font-size: 10px; }
svg .lane { stroke: #d5d9de; } svg .tick { stroke: #eef0f2; }
.ordered rect, .ordered path { fill: #cfe3fb; stroke: #4a7fb8; }
.free rect, .free path { fill: #eceef0; stroke: #9aa1a9; }
.blocked rect, .blocked path { fill: #f8c9c5; stroke: #b3261e; stroke-width: 2; }
.cause rect, .cause path { stroke: #b3261e; stroke-width: 2; }
.open rect, .open path { stroke-dasharray: 4 3; }
ol, ul { font: 12px/1.6 ui-monospace, monospace; }
`

/**
 * A page that shows a judged history: static, with nothing fetched and no script. The same history gives the same page.
 */
export function historyPage(title: string, history: JudgedHistory): string {
  // What somebody has to look at comes first.
  const keys = [...history.keys].sort((a, b) => places[a.verdict.kind] - places[b.verdict.kind])
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><title>${escaped(title)}: ${history.verdict}</title><style>${style}</style></head>`,
    '<body>',
    `<h1>${escaped(title)}: <span class="${verdictClass(history.verdict)}">${history.verdict}</span></h1>`,
    ...(history.about === undefined ? [] : [`<p>${escaped(history.about)}</p>`]),
    ...(keys.length === 0 ? [] : [legend(history.law.staleDefaultUs)]),
    ...keys.slice(0, picturesMax).map(section),
    ...rest(keys.slice(picturesMax)),
    '</body>',
    '</html>',
    '',
  ].join('\n')
}

const places: Readonly<Record<KeyVerdict['kind'], number>> = { violation: 0, undecided: 1, linearizable: 2 }

function verdictClass(verdict: JudgedHistory['verdict']): string {
  return verdict === 'linearizable' ? 'good' : verdict === 'undecided' ? 'open-verdict' : 'bad'
}

function legend(staleDefaultUs: number): string {
  const excuse =
    staleDefaultUs === 0
      ? ''
      : ` Reads of default consistency may be ${staleDefaultUs} us old: they count as if called that much earlier.`
  return `<p>A lane for each client, a bar from call to answer; an open end: not answered by then, so it may have taken
effect at any later time, or never. Blue, with numbers: one order that explains every answer so far. Red: the operation whose
answer no order explains. Red edge: few operations that already have no order among them. Grey: not in the order, for it need
not have taken effect, or promises too little to be judged. Calls and answers stand at equal distances in their order; the times are above, and in the tooltip of each bar.${excuse}</p>`
}

function section({ key, operations, verdict, cause }: JudgedKey): string {
  const explanation = explanationOf(verdict, cause)
  const drawn = notDrawn(operations, explanation)
  return [
    `<h2>Key ${escaped(`'${key}'`)}: ${verdictSpan(verdict)}</h2>`,
    `<p>${verdictText(verdict, operations.length)} ${drawn}</p>`,
    `<div class="picture">${historyPicture(operations, explanation)}</div>`,
    ...(verdict.kind === 'violation' ? proof(verdict, cause) : []),
  ].join('\n')
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

/** What shows that a key is not linearizable. */
function proof(verdict: KeyViolation, cause: readonly KeyOperation[]): readonly string[] {
  return [
    '<p>These already have no order:</p>',
    `<ul>${cause.map((one) => `<li>${escaped(operationText(one))}</li>`).join('')}</ul>`,
    orderList(verdict),
  ]
}

function notDrawn(operations: readonly KeyOperation[], explanation: Explanation): string {
  const later = operations.filter(({ callUs }) => callUs > shownUntil(explanation)).length
  const earlier = operations.length - later - drawnOperations(operations, explanation).length
  if (earlier + later === 0) return 'Every operation is drawn.'
  return `Of ${operations.length} operations ${earlier} of the earliest and ${later} called later are not drawn.`
}

/** The end of the order: what led to the value that the key held. */
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
