import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { AreaField, ChoiceField, TextField } from '../../forms/fields.tsx'
import { pairsOf, pairsText } from '../../forms/pairs.ts'
import { useLive } from '../../live/use-live.ts'
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

export function bodyOf({ from, to, action, description, meta }: IntentionFields): object {
  return {
    SourceName: from,
    DestinationName: to,
    Action: action,
    Description: description,
    Meta: pairsOf(meta) ?? {},
  }
}

/** Why it cannot be sent; undefined: it can. */
export function blockedOf({ meta }: IntentionFields): string | undefined {
  return pairsOf(meta) === undefined ? words.metadataWrong : undefined
}

export interface IntentionInputsProps {
  readonly typed: IntentionFields
  set(change: Partial<IntentionFields>): void
}

export function IntentionInputs({ typed, set }: IntentionInputsProps) {
  const { value: services } = useLive<readonly ServiceSummary[]>('/v1/internal/ui/services')
  const known = ['*', ...(services ?? []).map(({ Name }) => Name)]
  const hint = words.fromHint
  return (
    <>
      <TextField label={words.from} {...{ hint, known }} value={typed.from} set={(from) => set({ from })} required />
      <TextField label={words.to} {...{ hint, known }} value={typed.to} set={(to) => set({ to })} required />
      <ChoiceField
        label={words.action}
        value={typed.action}
        set={(action) => set({ action })}
        options={words.actions}
      />
      <TextField label={words.description} value={typed.description} set={(description) => set({ description })} />
      <AreaField
        label={words.metadata}
        hint={words.metadataHint}
        value={typed.meta}
        set={(meta) => set({ meta })}
        rows={2}
      />
    </>
  )
}
