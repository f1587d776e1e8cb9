import { type Config, readConfig } from '../config/config.ts'
import { exitCodes, StartFault } from './start-fault.ts'

/**
 * The configuration of the environment, or of `env`.
 *
 * @throws StartFault (78) with a line for each variable that can't be used.
 */
export function configured(env?: NodeJS.ProcessEnv): Config {
  const reading = readConfig(env)
  if ('config' in reading) return reading.config
  throw new StartFault(
    exitCodes.configuration,
    reading.faults.map(({ message }) => message),
  )
}
