import type { ReceivedResponse } from '../../../src/dns-wire/question.ts'
import { checker, type Judge } from '../checker.ts'
import { inOrder } from './held.ts'
import { recordText } from './name-records.ts'
import type { NameAsked, NameSettings, Sections } from './name-sections.ts'

/** Without EDNS, or with at most this size, the number of answers over UDP is limited, too. */
const plainBytes = 512
/** With at least this size, every answer of the workload fits. */
const roomyBytes = 4_096

/**
 * What is wrong with an answer. Over TCP, or with enough room, it is complete; otherwise it is a part of the whole, and
 * marked as truncated if the agent is configured to do so. Over UDP it is no longer than its client takes.
 */
export function nameFault(
  whole: Sections,
  { type, over, udpSize, thing, name }: NameAsked,
  { enableTruncate, udpAnswerLimit }: NameSettings,
  told: ReceivedResponse & { readonly bytes: number },
): string | undefined {
  const head = headFault(whole, told, { name, udpSize })
  if (head !== undefined) return head
  const answers = told.answers.map(recordText)
  const authorities = told.authorities.map(recordText)
  const additionals = told.additionals.map(recordText)
  const bytes = over === 'tcp' ? undefined : Math.max(plainBytes, udpSize ?? 0)
  // One record alone may be longer, because its client has no other way to learn that it is there.
  if (bytes !== undefined && told.bytes > bytes && answers.length + additionals.length > 1)
    return `has ${told.bytes} bytes, and its client takes ${bytes}`
  const isCounted = bytes === plainBytes && (thing.kind === 'service' || thing.kind === 'query')
  const most = isCounted ? Math.max(1, Math.min(8, udpAnswerLimit)) : whole.answers.length
  const isCut = answers.length < whole.answers.length
  if (isCut && (bytes === undefined || (bytes >= roomyBytes && most === whole.answers.length))) {
    return differenceIn('answer', answers, whole.answers)
  }
  if (answers.length > most) return `has ${answers.length} answers, but at most ${most} are allowed`
  if (told.truncated !== (isCut && enableTruncate)) {
    return `${told.truncated ? 'says' : 'does not say'} that it is truncated, with ${answers.length} of ${whole.answers.length} answers`
  }
  if (!isCut) {
    return (
      differenceIn('answer', answers, whole.answers) ??
      differenceIn('authority', authorities, whole.authorities) ??
      (bytes === undefined || bytes >= roomyBytes || isWithin(additionals, whole.additionals) !== undefined
        ? differenceIn('additional', additionals, whole.additionals)
        : undefined)
    )
  }
  if (answers.length === 0) return 'is cut to nothing'
  const beyond = isWithin(answers, whole.answers) ?? isWithin(additionals, whole.additionals)
  if (beyond !== undefined) return `is a part that has ${beyond}, which the complete answer lacks`
  return type === 'SRV' ? undefined : differenceIn('additional', additionals, [])
}

function headFault(
  whole: Sections,
  told: ReceivedResponse,
  { name, udpSize }: { readonly name: string; readonly udpSize: number | undefined },
): string | undefined {
  if (told.question?.name.toLowerCase() !== name.toLowerCase())
    return `is answered for ${told.question?.name ?? 'nothing'}`
  if (told.rcode !== whole.rcode) return `is answered with ${told.rcode} instead of ${whole.rcode}`
  const { authoritative, recursionAvailable } = whole
  const areFlagsRight =
    told.authoritative === authoritative && told.recursionAvailable === recursionAvailable && told.recursionDesired
  if (!areFlagsRight) {
    return `has flags aa ${told.authoritative}, ra ${told.recursionAvailable}, rd ${told.recursionDesired}`
  }
  if (told.udpSize === (whole.edns ? udpSize : undefined)) return undefined
  return `has EDNS of ${told.udpSize ?? 'none'}, and was asked with ${udpSize ?? 'none'}`
}

function differenceIn(section: string, told: readonly string[], expected: readonly string[]): string | undefined {
  const [one, other] = [inOrder(told, ', '), inOrder(expected, ', ')]
  if (one === other) return undefined
  return `has in its ${section} section ${one || 'nothing'}, and the agents have ${other || 'nothing'}`
}

/** The first record that the whole does not have. */
function isWithin(part: readonly string[], whole: readonly string[]): string | undefined {
  const all = new Set(whole)
  return part.find((text) => !all.has(text))
}

/** N1. While nothing changes, every agent answers over DNS, section by section, what the agents have. */
export class NameTruth {
  readonly #judge: Judge<{ N1: 'changed meanwhile' }>

  constructor(judge: Judge<{ N1: 'changed meanwhile' }>) {
    this.#judge = judge
  }

  changed(): void {
    this.#judge.excused('N1', 'changed meanwhile')
  }

  compared(what: string, fault: string | undefined): void {
    this.#judge.judged('N1')
    if (fault !== undefined) this.#judge.report('N1', `${what} ${fault}`)
  }
}

export const nameTruth = checker({
  codes: {
    N1: {
      text: 'names: while nothing changes, each section of every DNS answer is what the agents hold, complete over TCP, possibly truncated over UDP; each message of a connection is answered once, under its number',
      sources: ['docs/reference/dns.md#response-codes-and-sections', 'docs/reference/dns.md#record-construction'],
      evidence: ['names', 'catalog', 'forwards'],
      judges: ['answer compared', 'answers compared'],
      excuses: {
        'changed meanwhile':
          'What the agents hold changed, or one of them reached no leader, while the question was asked; that answer.',
      },
    },
  },
  make: (judge) => new NameTruth(judge),
})
