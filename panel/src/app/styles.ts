import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './panel.css';
import '../parts/parts.css';
