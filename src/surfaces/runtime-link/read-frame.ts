import { Ajv } from 'ajv'
import { cutText } from '../../domain/clean-text.ts'
import { logMessageMaxCharacters, runtimeErrorMaxCharacters } from '../../domain/limits/limits.ts'
import { formats, type RuntimeFrame, type Shapes, shapes } from './contract.ts'

const ajv = new Ajv({ formats, unicodeRegExp: true })

export type FrameReading =
  | { kind: 'frame'; frame: RuntimeFrame }
  /** An unknown type. Ignored, so that runtimes can be newer than the service. */
  | { kind: 'foreign' }
  | { kind: 'malformed'; message: string }

/** Parses one text frame. Ignores unknown members, and cuts error texts and log messages to their maximum length. */
export function readFrame(text: string): FrameReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { kind: 'malformed', message: 'a frame is one JSON object; this text is not JSON' }
  }
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') {
    return { kind: 'malformed', message: 'a frame is one JSON object whose "type" names it' }
  }
  const { type } = value
  if (!Object.hasOwn(shapes, type)) return { kind: 'foreign' }
  // Compiles a frame type's schema when the first frame of that type arrives.
  if (ajv.validate(shapes[type as keyof Shapes], value)) {
    return { kind: 'frame', frame: withCutTexts(value as unknown as RuntimeFrame) }
  }
  const [fault] = ajv.errors ?? []
  const message = fault?.keyword === 'format' ? 'must not have control characters' : fault?.message
  return { kind: 'malformed', message: `${type}${fault?.instancePath}: ${message}` }
}

function withCutTexts(frame: RuntimeFrame): RuntimeFrame {
  if (frame.type === 'nack' && frame.error !== undefined) {
    return { ...frame, error: cutText(frame.error, runtimeErrorMaxCharacters) }
  }
  if (frame.type !== 'log') return frame
  const entries = frame.entries.map((entry) => ({ ...entry, message: cutText(entry.message, logMessageMaxCharacters) }))
  return { ...frame, entries }
}
