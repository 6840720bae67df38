import { useState } from 'preact/hooks'
import type { PlayConfiguration } from '../../play/play-api.ts'
import type { NodeFormProps } from './command-form.tsx'
import { changedSettings, type Settings, settingsIn } from './settings.ts'

/** The settings of an agent as JSON; what was changed holds after it was started again. */
export function ConfigurationForm({ session, node, doing }: NodeFormProps) {
  const [present, setPresent] = useState<Settings>()
  const [text, setText] = useState('')
  const open = async (): Promise<void> => {
    const answer = await session.get<PlayConfiguration>(`configuration?node=${encodeURIComponent(node)}`)
    if (!answer.ok) {
      doing.say({ text: answer.error, isBad: true })
      return
    }
    setPresent(answer.value.config)
    setText(JSON.stringify(answer.value.config, undefined, 2))
  }
  const apply = async (event: Event): Promise<void> => {
    event.preventDefault()
    const wanted = settingsIn(text)
    if (wanted === undefined || present === undefined) {
      doing.say({ text: 'The configuration is no object of JSON.', isBad: true })
      return
    }
    const config = changedSettings(present, wanted)
    if (await doing.act([{ configure: { node, config } }])) await open()
  }
  return (
    <details onToggle={({ currentTarget }) => (currentTarget.open ? void open() : undefined)}>
      <summary>Configuration</summary>
      <form onSubmit={(event) => void apply(event)}>
        <textarea
          aria-label={`Configuration of ${node}`}
          rows={12}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">restart with it</button>
      </form>
    </details>
  )
}
