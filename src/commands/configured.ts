import { type Config, readConfig } from '../config/config.ts'
import { exitCodes, StartFault } from './start-fault.ts'

/**
 * Returns the configuration from `env`, by default the process's environment.
 *
 * @throws StartFault (78) with one line for each invalid variable.
 */
export function configured(env?: NodeJS.ProcessEnv): Config {
  const reading = readConfig(env)
  if ('config' in reading) return reading.config
  throw new StartFault(
    exitCodes.configuration,
    reading.faults.map(({ message }) => message),
  )
}
