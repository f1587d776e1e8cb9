import type { BotState } from '../../../domain/bots/status/bot-status.ts'
import type { IconName } from '../../../pages/components/icon.ts'
import type { Tone } from '../../../pages/components/notice.ts'
import type { Words } from '../../../pages/html.ts'
import { botStates } from '../words.ts'

interface StateWords {
  tone: Tone
  icon: IconName
  word: Words
  /** The state as used after the bot's name, as in “Robo is online”. */
  inSentence: Words
  meaning: Words
}

/** Text for the bot's state, on the status page and on its preview image. */
export const statesInWords: Record<BotState, StateWords> = {
  online: { tone: 'good', icon: 'check', ...botStates.online },
  connecting: { tone: 'warn', icon: 'warning', ...botStates.connecting },
  offline: { tone: 'bad', icon: 'cross', ...botStates.offline },
  'hosting-off': { tone: 'neutral', icon: 'dash', ...botStates['hosting-off'] },
}
