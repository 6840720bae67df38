import { useState } from 'preact/hooks'
import type { CaConfiguration } from '../../api/cluster-shapes.ts'
import { jsonCheck } from '../../explain/value.ts'
import { AreaField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { authorityWords as words } from '../../words/mesh-words.ts'

const path = '/v1/connect/ca/configuration'

export function AuthorityForm() {
  const live = useLive<CaConfiguration>(path)
  return (
    <Shown live={live} needs={words.needsRead}>
      {(configuration) => <Configuration configuration={configuration} refresh={live.refresh} />}
    </Shown>
  )
}

function Configuration({ configuration, refresh }: { readonly configuration: CaConfiguration; refresh(): void }) {
  const act = useAct()
  const [base, setBase] = useState(configuration)
  const [provider, setProvider] = useState(configuration.Provider)
  const [settings, setSettings] = useState(() => textOf(configuration))
  const check = jsonCheck(settings)
  const isOutdated = configuration.ModifyIndex !== base.ModifyIndex
  const takePresent = (): void => {
    act.clear()
    setBase(configuration)
    setProvider(configuration.Provider)
    setSettings(textOf(configuration))
  }
  const send = async (): Promise<void> => {
    const body = { Provider: provider, Config: JSON.parse(settings) }
    const query = { cas: String(base.ModifyIndex) }
    const answer = await act.sendCas({ method: 'PUT', path, query, body }, words.saved)
    if (answer.ok) refresh()
  }
  return (
    <>
      <Form
        title={words.configure}
        act={act}
        needs={words.needsWrite}
        submit={words.save}
        blocked={check.kind === 'json' ? undefined : words.configWrong(check.kind === 'broken' ? check.why : '{')}
        send={() => void send()}
        others={
          isOutdated && (
            <>
              <span>{words.changedMeanwhile}</span>
              <button type="button" onClick={takePresent}>
                {words.reload}
              </button>
            </>
          )
        }
      >
        <TextField label={words.provider} value={provider} set={setProvider} required />
        <AreaField label={words.config} hint={words.configHint} value={settings} set={setSettings} rows={6} />
      </Form>
      <Command line="connect ca get-config" />
    </>
  )
}

function textOf({ Config }: CaConfiguration): string {
  return JSON.stringify(Config, null, 2)
}
