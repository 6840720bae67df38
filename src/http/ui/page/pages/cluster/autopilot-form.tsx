import { useEffect, useState } from 'preact/hooks'
import type { AutopilotSettings } from '../../api/cluster-shapes.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { clusterWords as words } from '../../words/cluster-words.ts'

const path = '/v1/operator/autopilot/configuration'

export function AutopilotForm() {
  const live = useLive<AutopilotSettings>(path)
  return (
    <Shown live={live} needs={words.needsRead}>
      {(settings) => <Settings settings={settings} refresh={live.refresh} />}
    </Shown>
  )
}

function Settings({ settings, refresh }: { readonly settings: AutopilotSettings; refresh(): void }) {
  const act = useAct()
  const [base, setBase] = useState(settings)
  const [draft, setDraft] = useState(settings)
  const isUntouched = JSON.stringify(draft) === JSON.stringify(base)
  useEffect(() => {
    if (!isUntouched) return
    setBase(settings)
    setDraft(settings)
  }, [settings])
  const send = async (): Promise<void> => {
    const query = { cas: String(base.ModifyIndex) }
    const answer = await act.sendCas({ method: 'PUT', path, query, body: draft }, words.saved)
    // After a conflict, the next attempt is made upon the state that the operator sees then.
    setBase(answer.ok ? draft : settings)
    refresh()
  }
  const trailing = String(draft.MaxTrailingLogs)
  return (
    <>
      <Form
        title={words.settings}
        act={act}
        needs={words.needsWrite}
        submit={words.save}
        blocked={/^\d+$/.test(trailing) ? undefined : words.trailingWrong}
        send={() => void send()}
      >
        <CheckField
          label={words.cleanup}
          checked={draft.CleanupDeadServers}
          set={(CleanupDeadServers) => setDraft({ ...draft, CleanupDeadServers })}
        />
        <TextField
          label={words.threshold}
          value={draft.LastContactThreshold}
          set={(LastContactThreshold) => setDraft({ ...draft, LastContactThreshold })}
        />
        <TextField
          label={words.trailing}
          value={trailing}
          set={(text) => setDraft({ ...draft, MaxTrailingLogs: /^\d+$/.test(text) ? Number(text) : Number.NaN })}
        />
        <TextField
          label={words.stabilization}
          value={draft.ServerStabilizationTime}
          set={(ServerStabilizationTime) => setDraft({ ...draft, ServerStabilizationTime })}
        />
      </Form>
      <Command line="operator autopilot get-config" />
    </>
  )
}
