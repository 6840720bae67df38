import { useState } from 'preact/hooks'
import type { Intention } from '../../api/intention-shapes.ts'
import { meshDecision } from '../../explain/decision.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { Command } from '../../parts/command.tsx'
import { intentionWords as words } from '../../words/mesh-words.ts'

interface Verdict {
  readonly from: string
  readonly to: string
  readonly allowed: boolean
}

/** Asks the server whether one service may connect to another, and shows which intention decides. */
export function DecisionForm({ intentions }: { readonly intentions: readonly Intention[] }) {
  const act = useAct()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [verdict, setVerdict] = useState<Verdict>()
  const send = async (): Promise<void> => {
    const asked = { path: '/v1/connect/intentions/check', query: { source: from, destination: to } } as const
    const answer = await act.send<{ readonly Allowed: boolean }>(asked, '')
    setVerdict(answer.ok ? { from, to, allowed: answer.value.Allowed } : undefined)
  }
  return (
    <>
      <Form
        title={words.decide}
        act={act}
        needs={words.needsRead(to)}
        submit={words.decideSend}
        send={() => void send()}
      >
        <TextField label={words.from} value={from} set={setFrom} required />
        <TextField label={words.to} value={to} set={setTo} required />
      </Form>
      {verdict !== undefined && <Decision verdict={verdict} intentions={intentions} />}
    </>
  )
}

function Decision({
  verdict: { from, to, allowed },
  intentions,
}: {
  readonly verdict: Verdict
  readonly intentions: readonly Intention[]
}) {
  const { matching, deciding } = meshDecision(from, to, intentions)
  return (
    <div class={`verdict ${allowed ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>{allowed ? words.allowed(from, to) : words.denied(from, to)}</strong>
      </p>
      <p>
        {deciding === undefined
          ? words.byDefault
          : words.because(deciding.SourceName, deciding.DestinationName, deciding.Precedence)}
      </p>
      {deciding !== undefined && (deciding.Action === 'allow') !== allowed && <p>{words.serverRefuses}</p>}
      {matching.length > 0 && (
        <>
          <p>{words.order}:</p>
          <ol>
            {matching.map((each) => (
              <li key={each.ID} class={each === deciding ? 'decides' : ''}>
                {each.SourceName} → {each.DestinationName}: <span class={`action ${each.Action}`}>{each.Action}</span> (
                {each.Precedence}, {each === deciding ? words.decides : words.overruled})
              </li>
            ))}
          </ol>
        </>
      )}
      <Command line={`intention check ${from} ${to}`} />
    </div>
  )
}
