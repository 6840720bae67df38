import type { AutopilotSettings } from '../../api/cluster-shapes.ts'
import { commandLine } from '../../explain/command-line.ts'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { Form } from '../../forms/form.tsx'
import { Meanwhile } from '../../forms/meanwhile.tsx'
import { useAct } from '../../forms/use-act.ts'
import { useDraft } from '../../forms/use-draft.ts'
import { useLive } from '../../live/use-live.ts'
import { Command } from '../../parts/command.tsx'
import { Shown } from '../../parts/page-frame.tsx'
import { clusterWords as words } from '../../words/cluster-words.ts'
import { formWords } from '../../words/form-words.ts'

const path = '/v1/operator/autopilot/configuration'

export function AutopilotForm() {
  const live = useLive<AutopilotSettings>(path)
  return (
    <Shown live={live} needs={words.needsRead}>
      {(settings) => <Settings settings={settings} reread={live.reread} />}
    </Shown>
  )
}

function Settings({ settings, reread }: { readonly settings: AutopilotSettings; reread(): Promise<void> }) {
  const act = useAct()
  const draft = useDraft(words.settings, settings, fieldsOf)
  const { base, typed, set } = draft
  const send = (): void => {
    const query = { cas: String(base.ModifyIndex) }
    const body = { ...base, ...typed, MaxTrailingLogs: Number(typed.MaxTrailingLogs) }
    void act.sendCas({ method: 'PUT', path, query, body }, words.saved, () => {
      draft.written(typed)
      return reread()
    })
  }
  return (
    <>
      <Form
        title={words.settings}
        act={act}
        needs={words.needsWrite}
        submit={words.save}
        blocked={/^\d+$/.test(typed.MaxTrailingLogs) ? undefined : words.trailingWrong}
        isOutdated={draft.isOutdated}
        send={send}
      >
        <CheckField
          label={words.cleanup}
          checked={typed.CleanupDeadServers}
          set={(CleanupDeadServers) => set({ CleanupDeadServers })}
        />
        <TextField
          label={words.threshold}
          value={typed.LastContactThreshold}
          set={(LastContactThreshold) => set({ LastContactThreshold })}
        />
        <TextField
          label={words.trailing}
          value={typed.MaxTrailingLogs}
          set={(MaxTrailingLogs) => set({ MaxTrailingLogs })}
        />
        <TextField
          label={words.stabilization}
          value={typed.ServerStabilizationTime}
          set={(ServerStabilizationTime) => set({ ServerStabilizationTime })}
        />
        <Meanwhile
          draft={draft}
          act={act}
          what={formWords.changedMeanwhile}
          present={JSON.stringify(fieldsOf(settings), null, 2)}
        />
      </Form>
      <Command line={commandLine('operator autopilot get-config')} />
    </>
  )
}

function fieldsOf(settings: AutopilotSettings) {
  const { CleanupDeadServers, LastContactThreshold, MaxTrailingLogs, ServerStabilizationTime } = settings
  return { CleanupDeadServers, LastContactThreshold, MaxTrailingLogs: String(MaxTrailingLogs), ServerStabilizationTime }
}
