import { useState } from 'preact/hooks'
import type { ServiceSummary } from '../../api/catalog-shapes.ts'
import { pathOf } from '../../api/client.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { AreaField, ChoiceField, TextField } from '../../forms/fields.tsx'
import { Confirm, Form } from '../../forms/form.tsx'
import { pairsOf, pairsText } from '../../forms/pairs.ts'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { intentionWords as words } from '../../words/mesh-words.ts'

const root = '/v1/connect/intentions'

/** Makes an intention, or changes one unless it has changed since it was read. */
export function IntentionForm({ intention }: { readonly intention: Intention | undefined }) {
  const act = useAct()
  const [from, setFrom] = useState(intention?.SourceName ?? '')
  const [to, setTo] = useState(intention?.DestinationName ?? '')
  const [action, setAction] = useState<string>(intention?.Action ?? 'deny')
  const [description, setDescription] = useState(intention?.Description ?? '')
  const [meta, setMeta] = useState(pairsText(intention?.Meta))
  const { value: services } = useLive<readonly ServiceSummary[]>('/v1/internal/ui/services')
  const known = ['*', ...(services ?? []).map(({ Name }) => Name)]
  const pairs = pairsOf(meta)
  const send = (): void => {
    const body = { SourceName: from, DestinationName: to, Action: action, Description: description, Meta: pairs ?? {} }
    if (intention === undefined) return void act.send({ method: 'POST', path: root, body }, words.created)
    const path = `${root}${pathOf(intention.ID)}`
    const asked = { method: 'PUT', path, body: { ...body, ID: intention.ID } } as const
    void act.sendUnchanged<Intention>(path, (now) => now.UpdatedAt === intention.UpdatedAt, asked, words.saved)
  }
  const remove = (): void => {
    if (intention !== undefined)
      void act.send({ method: 'DELETE', path: `${root}${pathOf(intention.ID)}` }, words.removed)
  }
  return (
    <Form
      title={intention === undefined ? words.create : words.intention}
      act={act}
      needs={words.needsWrite(to)}
      submit={words.save}
      blocked={pairs === undefined ? words.metadataWrong : undefined}
      send={send}
      others={
        intention !== undefined && (
          <Confirm label={words.remove} question={words.removeQuestion} busy={act.busy} act={remove} />
        )
      }
    >
      <TextField label={words.from} hint={words.fromHint} value={from} set={setFrom} required known={known} />
      <TextField label={words.to} hint={words.fromHint} value={to} set={setTo} required known={known} />
      <ChoiceField label={words.action} value={action} set={setAction} options={words.actions} />
      <TextField label={words.description} value={description} set={setDescription} />
      <AreaField label={words.metadata} hint={words.metadataHint} value={meta} set={setMeta} rows={2} />
    </Form>
  )
}
