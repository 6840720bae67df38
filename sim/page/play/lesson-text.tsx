import { useState } from 'preact/hooks'
import type { PlayLesson, PlayLessonRun, PlayLessonTold } from '../../play/lessons-api.ts'
import type { Doing } from './doing.ts'
import { LessonTasks } from './lesson-tasks.tsx'
import { Prose, type Told, ToldOf } from './prose.tsx'
import type { PlaySession } from './session.ts'

export interface LessonTextProps {
  readonly session: PlaySession
  readonly doing: Doing
  readonly lesson: PlayLesson
  readonly onLesson: (lesson: PlayLesson) => void
}

/** Reading, prediction, run and tasks of one lesson, in this order: the run is shown to those who have predicted it. */
export function LessonText({ session, doing, lesson, onLesson }: LessonTextProps) {
  const [prediction, setPrediction] = useState(lesson.prediction)
  const [told, setTold] = useState<Told>()
  const [isRunning, setRunning] = useState(false)
  const ask = async (path: 'lesson/run' | 'lesson/check', body: object): Promise<Told | undefined> => {
    setRunning(true)
    const answer = await session.post<PlayLessonTold>(path, body)
    setRunning(false)
    if (!answer.ok) {
      doing.say({ text: answer.error, isBad: true })
      return undefined
    }
    onLesson(answer.value.lesson)
    return answer.value
  }
  const run = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body: PlayLessonRun = { name: lesson.name, prediction }
    setTold(await ask('lesson/run', body))
  }
  const { shown } = lesson
  return (
    <>
      <h2>
        Lesson {lesson.number}: {lesson.title} <small>{lesson.minutes} minutes</small>
      </h2>
      <ul>
        {lesson.aims.map((aim) => (
          <li key={aim}>{aim}</li>
        ))}
      </ul>
      <Prose text={lesson.reading} />
      <form onSubmit={(event) => void run(event)}>
        <h3>Predict</h3>
        <Prose text={lesson.question} />
        <textarea
          aria-label="Your prediction"
          rows={5}
          required
          value={prediction}
          onInput={({ currentTarget }) => setPrediction(currentTarget.value)}
        />
        <button type="submit" disabled={isRunning || prediction.trim() === ''}>
          {isRunning ? 'runs' : 'see the run'}
        </button>
      </form>
      {told === undefined ? null : <ToldOf {...told} />}
      {shown === null ? null : (
        <>
          <h3>What the run shows</h3>
          <Prose text={shown.answer} />
          <h3>In the picture</h3>
          <Prose text={shown.look} />
          <LessonTasks {...{ lesson, shown, isRunning, ask }} />
        </>
      )}
    </>
  )
}
