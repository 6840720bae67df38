import type { CaConfiguration } from '../../api/cluster-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { jsonCheck } from '../../explain/value.ts'
import { AreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft } from '../../forms/use-draft.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { formWords } from '../../words/form-words.ts'
import { authorityWords as words } from '../../words/mesh-words.ts'

const path = '/v1/connect/ca/configuration'

export function AuthorityForm() {
  const live = useLive<CaConfiguration>(path)
  return (
    <Shown live={live} needs={words.needsRead}>
      {(configuration) => <Configuration configuration={configuration} reread={live.reread} />}
    </Shown>
  )
}

interface ConfigurationProps {
  readonly configuration: CaConfiguration
  reread(): Promise<void>
}

function Configuration({ configuration, reread }: ConfigurationProps) {
  const act = useAct()
  const draft = useDraft(words.configure, configuration, fieldsOf)
  const { base, typed, set } = draft
  const send = (): void => {
    const body = { Provider: typed.provider, Config: JSON.parse(typed.settings) }
    const query = { cas: String(base.ModifyIndex) }
    void act.sendCas({ method: 'PUT', path, query, body }, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  const present = fieldsOf(configuration)
  return (
    <>
      <Form
        title={words.configure}
        act={act}
        needs={words.needsWrite}
        submit={words.save}
        blocked={blockedOf(typed.settings)}
        isOutdated={draft.isOutdated}
        send={send}
      >
        <TextField label={words.provider} value={typed.provider} set={(provider) => set({ provider })} required />
        <AreaField
          label={words.config}
          hint={words.configHint}
          value={typed.settings}
          set={(settings) => set({ settings })}
          rows={6}
        />
        <Meanwhile
          draft={draft}
          act={act}
          what={formWords.changedMeanwhile}
          present={`${present.provider}\n${present.settings}`}
        />
      </Form>
      <Command line={commandLine('connect ca get-config')} />
    </>
  )
}

/** Why it cannot be sent; undefined: it can. */
function blockedOf(settings: string): string | undefined {
  const check = jsonCheck(settings)
  if (check.kind === 'json') return undefined
  return check.kind === 'broken' ? words.configWrong(check.why) : words.configNone
}

function fieldsOf({ Provider, Config }: CaConfiguration) {
  return { provider: Provider, settings: JSON.stringify(Config, null, 2) }
}
