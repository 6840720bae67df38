import type { Token } from '../../api/access-shapes.ts'
import type { Answer } from '../../api/failure.ts'
import { commandLine } from '../../explain/command-line.ts'
import { Confirm, Result } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useCaller } from '../../live/context.ts'
import { useOfCaller } from '../../live/use-of-caller.ts'
import { Command } from '../../parts/command.tsx'
import { Secret } from '../../parts/copy-button.tsx'
import { accessWords as words } from '../../words/access-words.ts'

/** Makes the first token of all. The API does not tell beforehand whether somebody has made it. */
export function FirstToken() {
  const { setToken } = useCaller()
  const act = useAct()
  const [made, setMade] = useOfCaller<Token>()
  const make = (): void =>
    void act.send<Token>({ method: 'PUT', path: '/v1/acl/bootstrap' }, words.firstMade, {
      judge: saidOnce,
      written: setMade,
    })
  return (
    <section aria-labelledby="first">
      <h2 id="first">{words.first}</h2>
      <p>{words.firstAbout}</p>
      {made === undefined && (
        <Confirm label={words.firstMake} question={words.firstQuestion} busy={act.busy} act={make} />
      )}
      <Result act={act} />
      {made?.SecretID !== undefined && (
        <div class="actions">
          <Secret text={made.SecretID} />
          <button type="button" onClick={() => setToken(made.SecretID ?? '')}>
            {words.firstUse}
          </button>
        </div>
      )}
      <Command line={commandLine('acl bootstrap')} />
    </section>
  )
}

/** No right is missing: the second caller is refused, whatever its token. */
function saidOnce<T>(answer: Answer<T>): Answer<T> {
  if (answer.ok || answer.failure.kind !== 'refused') return answer
  return { ok: false, failure: { kind: 'said', status: 403, text: `${words.firstExists} ${answer.failure.text}` } }
}
