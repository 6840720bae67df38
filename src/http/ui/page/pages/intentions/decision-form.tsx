import { useState } from 'preact/hooks'
import { byName } from '../../api/by-name.ts'
import type { Client } from '../../api/client.ts'
import type { Answer, Failure } from '../../api/failure.ts'
import type { Intention } from '../../api/intention-shapes.ts'
import { commandLine, withOperands } from '../../explain/command-line.ts'
import { type MeshDecision, meshDecision } from '../../explain/decision.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Problem } from '../../parts/problem.tsx'
import { intentionWords as words } from '../../words/mesh-words.ts'

interface Verdict {
  readonly from: string
  readonly to: string
  readonly allowed: boolean
  readonly why: MeshDecision | Refused
}

/** A token may read the verdict, and not the intentions that led to it. */
interface Refused {
  readonly failure: Failure
  readonly needs: string
}

/** Asks the servers whether one service may connect to another, and which intention decides. */
export function DecisionForm() {
  const { client } = useCaller()
  const act = useAct()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [verdict, setVerdict] = useOfCaller<Verdict>()
  const send = async (): Promise<void> => {
    const asked = { path: '/v1/connect/intentions/check', query: { source: from, destination: to } } as const
    const answer = await act.send<{ readonly Allowed: boolean }>(asked, '', {
      written: async ({ Allowed: allowed }) => setVerdict({ from, to, allowed, why: await whyOf(client, from, to) }),
    })
    if (!answer.ok) setVerdict(undefined)
  }
  return (
    <>
      <Form
        title={words.decide}
        act={act}
        needs={words.needsService(to)}
        submit={words.decideSend}
        send={() => void send()}
      >
        <TextField label={words.from} value={from} set={setFrom} required />
        <TextField label={words.to} value={to} set={setTo} required />
      </Form>
      {verdict?.from === from && verdict.to === to && <Decision verdict={verdict} />}
    </>
  )
}

async function whyOf(client: Client, from: string, to: string): Promise<MeshDecision | Refused> {
  const [ofSource, ofDestination] = await Promise.all([
    matching(client, 'source', from),
    matching(client, 'destination', to),
  ])
  if (!ofSource.ok) return { failure: ofSource.failure, needs: words.needsRead(from) }
  if (!ofDestination.ok) return { failure: ofDestination.failure, needs: words.needsRead(to) }
  return meshDecision(byName(ofSource.value, from) ?? [], byName(ofDestination.value, to) ?? [])
}

type Matching = Readonly<Record<string, readonly Intention[] | null>>

function matching(client: Client, by: 'source' | 'destination', name: string): Promise<Answer<Matching>> {
  return client.ask<Matching>({ path: '/v1/connect/intentions/match', query: { by, name } })
}

function Decision({ verdict: { from, to, allowed, why } }: { readonly verdict: Verdict }) {
  return (
    <div class={`verdict ${allowed ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>{allowed ? words.allowed(from, to) : words.denied(from, to)}</strong>
      </p>
      {'failure' in why ? <Problem failure={why.failure} needs={why.needs} /> : <Why why={why} allowed={allowed} />}
      <Command line={withOperands(commandLine('intention check'), from, to)} />
    </div>
  )
}

function Why({ why: { matching: all, deciding }, allowed }: { readonly why: MeshDecision; readonly allowed: boolean }) {
  if (deciding === undefined) return <p>{words.byDefault}</p>
  return (
    <>
      <p>{words.because(deciding.SourceName, deciding.DestinationName, deciding.Precedence)}</p>
      {(deciding.Action === 'allow') !== allowed && <p>{words.changedBetween}</p>}
      <p>{words.order}:</p>
      <ol>
        {all.map((each) => (
          <li key={each.ID} class={each === deciding ? 'decides' : ''}>
            {each.SourceName} → {each.DestinationName}: <span class={`action ${each.Action}`}>{each.Action}</span> (
            {each.Precedence}, {each === deciding ? words.decides : words.overruled})
          </li>
        ))}
      </ol>
    </>
  )
}
