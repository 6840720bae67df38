import type { Intention } from '../../api/intention-shapes.ts'
import { pairsOf, pairsText } from '../../forms/pairs.ts'
import { intentionWords as words } from '../../words/mesh-words.ts'

/** An intention as its form has it. */
export interface IntentionFields {
  readonly from: string
  readonly to: string
  readonly action: string
  readonly description: string
  /** One `key=value` in a line. */
  readonly meta: string
}

export const noIntention: IntentionFields = { from: '', to: '', action: 'deny', description: '', meta: '' }

export function fieldsOf(intention: Intention): IntentionFields {
  return {
    from: intention.SourceName,
    to: intention.DestinationName,
    action: intention.Action,
    description: intention.Description,
    meta: pairsText(intention.Meta),
  }
}

type Metadata = Intention['Meta'] | undefined

/** `before`: the metadata of the intention that is changed. */
export function bodyOf({ from, to, action, description, meta }: IntentionFields, before: Metadata): object {
  return {
    SourceName: from,
    DestinationName: to,
    Action: action,
    Description: description,
    Meta: metadataOf(meta, before) ?? {},
  }
}

/** Why it cannot be sent; undefined: it can. */
export function blockedOf({ meta }: IntentionFields, before: Metadata): string | undefined {
  return metadataOf(meta, before) === undefined ? words.metadataWrong : undefined
}

/** What is not touched stays as it is: a value may have line ends, and spaces around it. */
function metadataOf(text: string, before: Metadata): Metadata {
  return before && text === pairsText(before) ? before : pairsOf(text)
}
