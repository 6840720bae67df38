import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import { AreaField, ChoiceField, TextField } from '../../forms/fields.tsx'
import { useLive } from '../../live/use-live.ts'
import { intentionWords as words } from '../../words/mesh-words.ts'
import type { IntentionFields } from './intention-draft.ts'

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
