// The configuration operations of an attached service: reloads and their history work, all others are refused with an
// explanation.

import type { ValidationAnswer } from '../../api/configuration.ts';
import { codes } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { ConfigurationService } from '../reload/configuration-service.ts';
import { proxyWarnings } from '../reload/proxy-warnings.ts';
import { ReloadOperations, type ReloadOperationsDeps } from '../reload/reload-operations.ts';
import type { AttachedCheck } from './attached-reload.ts';

type Off = 'sites' | 'backups' | 'the configuration';

export function refuseAttached(configFile: string, off: Off): never {
  const verb = off === 'the configuration' ? 'is' : 'are';
  throw new ServiceError(
    codes.Attached,
    `use ${off}`,
    `${off} ${verb} not available: this service is attached to HAProxy, manages only its maps, and does not write ${configFile}. To let it write the configuration: docs/attach.md, “Switch to sites and templates”`,
  );
}

interface AttachedOperationsDeps extends ReloadOperationsDeps {
  readonly configFile: string;
  readonly check: () => Promise<AttachedCheck>;
}

export class AttachedOperations extends ReloadOperations<AttachedOperationsDeps> implements ConfigurationService {
  async validate(): Promise<ValidationAnswer> {
    const checked = await this.deps.reloads.exclusively(this.deps.check);
    if (checked.verdict === 'unknown') {
      const { unreadable, alerts } = checked;
      const others = alerts.length === 0 ? '' : ` (HAProxy's check also reports: ${alerts.join('; ')})`;
      throw new ServiceError(
        codes.ConfigurationFilesUnusable,
        'validate configuration',
        `the configuration cannot be checked: ${unreadable}${others}; to check it, run as root: haproxy -c -f ${this.deps.configFile}`,
      );
    }
    const { verdict, output } = checked;
    const warnings = verdict === 'valid' ? proxyWarnings(output) : [];
    return { valid: verdict === 'valid', output, sha256: '', warnings, needs_replace_configuration: false };
  }

  async current(): Promise<never> {
    return refuseAttached(this.deps.configFile, 'the configuration');
  }

  async diff(): Promise<never> {
    return refuseAttached(this.deps.configFile, 'the configuration');
  }

  async backups(): Promise<never> {
    return refuseAttached(this.deps.configFile, 'backups');
  }

  async restore(): Promise<never> {
    return refuseAttached(this.deps.configFile, 'backups');
  }
}
