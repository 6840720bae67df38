import { useRef, useState } from 'preact/hooks'
import type { PlayActed, PlayDeed, PlayPace, PlayStatus, PlayStep, PlayUndo } from '../../play/play-api.ts'
import type { PlaySession } from './session.ts'

/** The result of the last request. */
export interface Said {
  readonly text: string
  readonly isBad: boolean
}

/** The requests of the page to the run. Each settles when the page shows the result. */
export interface Doing {
  readonly said: Said
  readonly say: (said: Said) => void
  readonly act: (deeds: readonly PlayDeed[]) => Promise<boolean>
  readonly pace: (pace: PlayPace) => Promise<void>
  /** Does nothing while another step is under way: a key that is held down steps as often as the server can. */
  readonly step: (step: PlayStep) => Promise<void>
  readonly isStepping: boolean
  readonly undo: (undo: PlayUndo) => Promise<void>
}

export function useDoing(session: PlaySession): Doing {
  const [said, say] = useState<Said>({ text: '', isBad: false })
  const [isStepping, setIsStepping] = useState(false)
  // A page's state is updated only when it is drawn again, which is too late for the next key.
  const steps = useRef(false)
  const act = async (deeds: readonly PlayDeed[]): Promise<boolean> => {
    const done: string[] = []
    for (const deed of deeds) {
      const answer = await session.post<PlayActed>('act', deed)
      if (!answer.ok) {
        say({ text: answer.error, isBad: true })
        return false
      }
      done.push(answer.value.text)
    }
    say({ text: done.join('; '), isBad: false })
    return true
  }
  const told = async (path: string, body: unknown, text: string): Promise<void> => {
    const answer = await session.post<PlayStatus>(path, body)
    say(answer.ok ? { text, isBad: false } : { text: answer.error, isBad: true })
  }
  const step = async (wanted: PlayStep): Promise<void> => {
    if (steps.current) return
    steps.current = true
    setIsStepping(true)
    await told('step', wanted, '')
    steps.current = false
    setIsStepping(false)
  }
  return {
    said,
    say,
    act,
    pace: (pace) => told('pace', pace, ''),
    step,
    isStepping,
    undo: (undo) => told('undo', undo, 'The run was replayed to that moment.'),
  }
}
